// What the monitor reads of a machine, from files as the kernel writes them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

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

}  // namespace
}  // namespace ringlab
