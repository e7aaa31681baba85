// What the monitor reads of a machine, from files as the kernel writes them.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "monitor/limits.h"
#include "monitor/system.h"
#include "tests/temporary_folder.h"

namespace ringlab {
namespace {

/// The files of a machine's interfaces.
class Interfaces {
 public:
  /// Each has sent 100 bytes and received 200.
  Interfaces& add(const std::string& name, const std::vector<std::string>& files = {}, const std::string& type = {}) {
    counters_ += "  " + name + ": 200 2 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n";
    write_text(folder_ / (name + "/uevent"), type + "INTERFACE=" + name + "\n");
    for (const auto& file : files) write_text(folder_ / (name + "/" + file), "0x1002\n");
    return *this;
  }
  Interfaces& tunnel(const std::string& name, const std::string& flags) {
    add(name);
    write_text(folder_ / (name + "/tun_flags"), flags + "\n");
    return *this;
  }
  std::vector<std::string> counted() const {
    write_text(folder_ / "dev", "Inter-| Receive | Transmit\n face |bytes packets|bytes packets\n" + counters_);
    std::vector<std::string> names;
    for (const auto& interface : read_network(folder_ / "dev", folder_.path())) {
      EXPECT_EQ(interface.sent, 100U);
      EXPECT_EQ(interface.received, 200U);
      names.push_back(interface.name);
    }
    return names;
  }

 private:
  TemporaryFolder folder_;
  std::string counters_;
};

using Names = std::vector<std::string>;

TEST(MonitoredNetwork, CountsWhatABondAVlanAndATunnelSendOnce) {
  Interfaces machine;
  machine.add("lo").add("eth0", {"device/vendor", "upper_bond0"}).add("eth1", {"device/vendor", "upper_bond0"}).add("bond0", {"lower_eth0", "lower_eth1"});
  machine.add("bond0.100", {"lower_bond0"}, "DEVTYPE=vlan\n").add("rlwg1a2b", {}, "DEVTYPE=wireguard\n").tunnel("tailscale0", "0x1001");
  EXPECT_EQ(machine.counted(), (Names{"lo", "eth0", "eth1"}));
}

TEST(MonitoredNetwork, CountsTheCardOfABridgeAndNotItsGuests) {
  Interfaces machine;
  machine.add("eth0", {"device/vendor", "brport/state", "upper_br0"}).add("br0", {"lower_eth0", "lower_vnet0"}, "DEVTYPE=bridge\n");
  machine.add("vnet0", {"brport/state", "tun_flags"}).add("docker0", {"lower_veth1"}, "DEVTYPE=bridge\n").add("veth1", {"brport/state"});
  EXPECT_EQ(machine.counted(), Names{"eth0"});
}

TEST(MonitoredNetwork, CountsAContainersAndALocalNodesOwn) {
  EXPECT_EQ(Interfaces().add("lo").add("eth0").counted(), (Names{"lo", "eth0"}));
  EXPECT_EQ(Interfaces().tunnel("tap0", "0x1002").counted(), Names{"tap0"});
  EXPECT_EQ(Interfaces().add("lo").tunnel("tun0", "0x5001").counted(), (Names{"lo", "tun0"}));
  // Its /sys shows another namespace.
  TemporaryFolder folder;
  write_text(folder / "dev", "rl0: 200 2 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n");
  ASSERT_EQ(read_network(folder / "dev", folder / "none").size(), 1U);
}

/// Limits from a process's list of groups and the groups' files.
struct Limited {
  Limited(const std::string& own, const std::map<std::string, std::string>& files) {
    write_text(folder / "own", own);
    for (const auto& [name, text] : files) write_text(folder / ("root/" + name), text + "\n");
  }
  std::optional<double> cpus() const { return read_cpu_limit({folder / "own", folder / "root"}); }
  /// The limit, and what is left of it.
  std::vector<uint64_t> memory() const {
    const auto memory = read_memory_limit({folder / "own", folder / "root"});
    return memory ? std::vector<uint64_t>{memory->total, memory->available} : std::vector<uint64_t>{};
  }
  TemporaryFolder folder;
};

using Bytes = std::vector<uint64_t>;

TEST(MonitoredLimits, AreThoseOfAContainer) {
  const std::string stat = "anon 300\ninactive_file 100\nactive_file 50";
  const Limited second("0::/\n", {{"memory.max", "1000"}, {"memory.current", "450"}, {"memory.stat", stat}, {"cpu.max", "150000 100000"}});
  EXPECT_EQ(second.memory(), (Bytes{1000, 650}));
  EXPECT_EQ(second.cpus(), 1.5);
  // Version 1 without a namespace: the path is the machine's, the files are the container's own.
  const std::map<std::string, std::string> files = {{"memory/memory.limit_in_bytes", "1000"}, {"memory/memory.usage_in_bytes", "450"}, {"memory/memory.stat", "inactive_file 7\ntotal_inactive_file 100"},
                                                    {"cpu/cpu.cfs_quota_us", "400000"},       {"cpu/cpu.cfs_period_us", "100000"},       {"memory.max", "1"}};
  const Limited first("4:memory:/docker/1f\n3:cpu,cpuacct:/docker/1f\n0::/docker/1f\n", files);
  EXPECT_EQ(first.memory(), (Bytes{1000, 650}));
  EXPECT_EQ(first.cpus(), 4);
}

TEST(MonitoredLimits, AreTheLowestOfTheGroupsAroundTheProcess) {
  const Limited job("0::/slurm/job_7/step_0\n", {{"slurm/job_7/memory.max", "1000"}, {"slurm/job_7/memory.current", "900"}, {"slurm/job_7/cpu.max", "400000 100000"},
                                                 {"slurm/job_7/step_0/memory.max", "1000"}, {"slurm/job_7/step_0/memory.current", "500"}, {"slurm/job_7/step_0/cpu.max", "max 100000"},
                                                 {"slurm/memory.max", "9000"}, {"slurm/memory.current", "8999"}, {"other/memory.max", "1"}});
  EXPECT_EQ(job.memory(), (Bytes{1000, 100}));
  EXPECT_EQ(job.cpus(), 4);
}

TEST(MonitoredLimits, AreAbsentWithoutAny) {
  const Limited first("4:memory:/\n3:cpu:/\n", {{"cpu/cpu.cfs_quota_us", "-1"}, {"cpu/cpu.cfs_period_us", "100000"}});
  EXPECT_EQ(first.cpus(), std::nullopt);
  EXPECT_EQ(first.memory(), Bytes{});
  const Limited second("0::/../../user.slice\n", {{"memory.max", "max"}, {"memory.current", "5"}, {"cpu.max", "max 100000"}});
  EXPECT_EQ(second.cpus(), std::nullopt);
  EXPECT_EQ(second.memory(), Bytes{});
  EXPECT_EQ(read_memory_limit({"/none", "/none"}).has_value(), false);
}

}  // namespace
}  // namespace ringlab
