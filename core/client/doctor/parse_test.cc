// SPDX-License-Identifier: Apache-2.0
#include "core/client/doctor/parse.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Strings = std::vector<std::string>;

TEST(DoctorParse, Meminfo) {
  const char* text = "MemTotal:       24684096 kB\nMemAvailable:   23511688 kB\nHugePages_Total:       0\n";
  EXPECT_EQ(meminfo_bytes(text, "MemAvailable"), 23511688ULL * 1024);
  EXPECT_EQ(meminfo_bytes(text, "Mem"), std::nullopt);
  EXPECT_EQ(meminfo_bytes("", "MemAvailable"), std::nullopt);
}

TEST(DoctorParse, PortRangesAndLists) {
  EXPECT_EQ(read_port_range("32768\t60999\n"), (PortSpan{32768, 60999}));
  EXPECT_EQ(read_port_range("nonsense"), std::nullopt);
  EXPECT_EQ(read_port_list("8080,20000-27999\n"), (std::vector<PortSpan>{{8080, 8080}, {20000, 27999}}));
  EXPECT_TRUE(read_port_list("\n").empty());
  EXPECT_TRUE(overlap({1, 5}, {5, 9}));
  EXPECT_FALSE(overlap({1, 4}, {5, 9}));
  EXPECT_TRUE(covers({{1, 3}, {4, 9}}, {2, 8}));
  EXPECT_FALSE(covers({{1, 3}, {5, 9}}, {2, 8}));
  EXPECT_TRUE(covers({{0, 65535}}, {65530, 65535}));
}

TEST(DoctorParse, PortsThatAreTaken) {
  std::vector<uint16_t> ports;
  add_ports(
      "  sl  local_address rem_address   st\n"
      "   0: 0100007F:4E20 00000000:0000 0A 00000000:00000000\n"
      "   1: 0100007F:4E20 0100007F:9C40 01 00000000:00000000\n"
      "   2: 00000000:0016 00000000:0000 0A 00000000:00000000\n",
      {20000, 27999}, ports);
  add_ports("   0: 00000000000000000000000001000000:6D5F 0:0 0A\n", {20000, 27999}, ports);
  EXPECT_EQ(ports, (std::vector<uint16_t>{20000, 27999}));
}

TEST(DoctorParse, HostsOfAFile) {
  const char* hosts = "127.0.0.1 localhost\n# 10.0.0.1 ghost\n10.0.0.2\tws1.lab ws1 # here\n";
  EXPECT_TRUE(names_host(hosts, "ws1"));
  EXPECT_FALSE(names_host(hosts, "ghost"));
  EXPECT_FALSE(names_host(hosts, "here"));
  EXPECT_FALSE(names_host(hosts, "10.0.0.2"));
}

TEST(DoctorParse, Proxies) {
  EXPECT_EQ(proxy_variable({{"HTTPS_PROXY", "http://p"}, {"http_proxy", ""}}), "HTTPS_PROXY");
  EXPECT_EQ(proxy_variable({}), "");
  EXPECT_TRUE(spares_loopback({{"no_proxy", "localhost, 127.0.0.1"}}));
  EXPECT_TRUE(spares_loopback({{"NO_PROXY", "*"}}));
  EXPECT_FALSE(spares_loopback({{"no_proxy", "localhost,.lab"}}));
  EXPECT_FALSE(spares_loopback({}));
}

TEST(DoctorParse, ADiskAtTheRootIsNoContainers) {
  EXPECT_TRUE(
      has_disk_as_root("22 27 0:21 / /proc rw - proc proc rw\n27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"));
  EXPECT_TRUE(has_disk_as_root("27 1 254:0 / / rw shared:1 - xfs /dev/mapper/root rw\n"));
  EXPECT_FALSE(has_disk_as_root("600 599 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib\n"));
  EXPECT_FALSE(has_disk_as_root(""));
}

TEST(DoctorParse, FileSystemsOfOtherMachines) {
  EXPECT_EQ(network_name(0x6969), "NFS");
  EXPECT_EQ(network_name(0xfe534d42), "SMB");
  EXPECT_EQ(network_name(0xef53), "");
}

TEST(DoctorParse, FaultsOfGpus) {
  const char* log =
      "4,1203,99,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=4011, GPU has fallen off the bus.\n"
      "4,1204,99,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=4011, GPU has fallen off the bus.\n"
      "4,1205,99,-;usb 1-1: new device\n4,1206,99,-;NVRM: Xid (PCI:0000:5e:00): 48, DBE\n";
  EXPECT_EQ(gpu_faults(log), (Strings{"Xid 79 on 0000:3b:00", "Xid 48 on 0000:5e:00"}));
}

TEST(DoctorParse, LocksOfTheKernel) {
  EXPECT_EQ(locked_inodes("1: FLOCK  ADVISORY  WRITE 4011 fe:00:1234567 0 EOF\n"
                          "1: -> POSIX  ADVISORY  WRITE 4012 00:18:77 0 EOF\n"),
            (std::vector<uint64_t>{1234567, 77}));
}

TEST(DoctorParse, AnInterpretersAnswer) {
  PythonFacts facts;
  read_python_answer(
      "version\t3.11.2\nexecutable\t/venv/bin/python\npackage\ttorch\t2.3.1\ntorch_cuda\t12.1\n"
      "package\tnumpy\t1.24.2\nbroken\nforeign_env\t/other\n",
      facts);
  EXPECT_EQ(facts.version, "3.11.2");
  EXPECT_EQ(facts.path, "/venv/bin/python");
  EXPECT_EQ(facts.packages, (std::map<std::string, std::string>{{"torch", "2.3.1"}, {"numpy", "1.24.2"}}));
  EXPECT_TRUE(facts.torch_built);
  EXPECT_EQ(facts.torch_cuda, "12.1");
  EXPECT_EQ(facts.virtual_env, "/other");
}

TEST(DoctorParse, MaxStartupsOfAnSshdConfig) {
  EXPECT_EQ(max_startups("# MaxStartups 1\nPort 22\n  maxstartups 3:30:60\nMaxStartups 9\n"), "3:30:60");
  EXPECT_EQ(max_startups("Match User mia\nMaxStartups 9\n"), "");
  EXPECT_EQ(max_startups(""), "");
}

}  // namespace
}  // namespace muster
