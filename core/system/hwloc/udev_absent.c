/* Stubs for the functions of libudev that Debian's libhwloc.a needs. They behave as on a machine without udev. Linked
 * only into static programs, since Debian has no libudev.a.
 *
 * hwloc uses udev only for the names and sizes of block devices (topology-linux.c:
 * hwloc_linux_block_class_fillinfos) and continues without it when udev_new() returns NULL. muster uses hwloc only for
 * CPUs. Signatures: libudev(3). */
struct udev;
struct udev_device;

struct udev* udev_new(void);
struct udev* udev_unref(struct udev* udev);
struct udev_device* udev_device_new_from_subsystem_sysname(struct udev* udev, const char* subsystem,
                                                           const char* name);
struct udev_device* udev_device_unref(struct udev_device* device);
const char* udev_device_get_property_value(struct udev_device* device, const char* key);

struct udev* udev_new(void) {
  return 0;
}

struct udev* udev_unref(struct udev* udev) {
  (void)udev;
  return 0;
}

struct udev_device* udev_device_new_from_subsystem_sysname(struct udev* udev, const char* subsystem,
                                                           const char* name) {
  (void)udev;
  (void)subsystem;
  (void)name;
  return 0;
}

struct udev_device* udev_device_unref(struct udev_device* device) {
  (void)device;
  return 0;
}

const char* udev_device_get_property_value(struct udev_device* device, const char* key) {
  (void)device;
  (void)key;
  return 0;
}
