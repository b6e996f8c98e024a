// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/elf_symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/random.h"

extern "C" __attribute__((noinline)) int a_named_function(int value) { return value * 3 + 1; }

namespace muster {
namespace {

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

std::vector<CodeMapping> own_mappings() {
  std::ifstream maps("/proc/self/maps");
  return parse_code_mappings(std::string{std::istreambuf_iterator<char>(maps), {}});
}

std::string name_at(uint64_t address) {
  const auto mappings = own_mappings();
  const CodeMapping* mapping = mapping_of(mappings, address);
  return mapping == nullptr ? "" : FunctionTable(mapping->file).at(address - mapping->begin + mapping->offset);
}

std::string c_library() {
  Dl_info info{};
  return dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &info) != 0 ? info.dli_fname : "";
}

class DamagedFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(c_library(), std::ios::binary);
    library_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_GT(library_.size(), 100'000u);
  }
  void TearDown() override { std::filesystem::remove(path_); }
  // Passes if reading the file neither crashes nor hangs.
  void read(const std::string& bytes) const {
    write(bytes);
    const FunctionTable table(path_);
    for (uint64_t offset = 0; offset < library_.size(); offset += 4099) static_cast<void>(table.at(offset));
    static_cast<void>(find_variables(path_, {0x1000, 0x2000, 0, path_}, {"environ", "stdout"}));
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  std::string library_;
  const std::string path_ = testing::TempDir() + "damaged-" + std::to_string(getpid()) + ".so";
};

TEST(FunctionTable, AddressInAFunction_HasItsName) {
  EXPECT_EQ(a_named_function(1), 4);
  EXPECT_EQ(name_at(address_of(reinterpret_cast<void*>(&a_named_function)) + 1), "a_named_function");
  EXPECT_EQ(name_at(address_of(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")) + 1), "gnu_get_libc_version");
}

TEST(FunctionTable, FileThatIsNotElf_IsEmpty) {
  for (const char* path : {"/proc/self/maps", "/dev/zero", "/etc/passwd", "/", "/no/such/file"})
    EXPECT_EQ(FunctionTable(path).at(0x1000), "") << path;
}

TEST(FindVariables, ExportedVariable_IsAtItsAddress) {
  const auto mappings = own_mappings();
  const CodeMapping* mapping = mapping_of(mappings, address_of(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")));
  ASSERT_NE(mapping, nullptr);
  const auto found = find_variables(mapping->file, *mapping, {"_IO_2_1_stdout_", "no_such_variable"});
  ASSERT_EQ(found.size(), 1u);
  // A program may have its own copy of a variable, but the library's copy is near the library's code.
  EXPECT_GT(found.at("_IO_2_1_stdout_"), mapping->begin);
  EXPECT_LT(found.at("_IO_2_1_stdout_") - mapping->begin, 16u << 20);
}

TEST_F(DamagedFileTest, TruncatedFile_IsRead) {
  for (size_t size = 1; size < library_.size(); size += library_.size() / 23) read(library_.substr(0, size));
}

TEST_F(DamagedFileTest, OverwrittenBytes_AreRead) {
  Random random(5);
  for (int round = 0; round < 30; ++round) {
    std::string bytes = library_;
    for (int i = 0; i < 20; ++i) {
      bytes[random.next() % 4096] = static_cast<char>(random.next());
      bytes[bytes.size() - 1 - random.next() % 4096] = static_cast<char>(random.next());
    }
    bytes.replace(0, 20, library_, 0, 20);  // keep the ELF identification
    read(bytes);
  }
}

// For example when a package is installed over a library that a rank has loaded.
TEST_F(DamagedFileTest, FileCutShortWhileItIsRead_IsRead) {
  write(library_);
  const FunctionTable table(path_);
  std::filesystem::resize_file(path_, 100);
  for (uint64_t offset = 0; offset < library_.size(); offset += 4099) static_cast<void>(table.at(offset));
}

}  // namespace
}  // namespace muster
