// Package guard dials only addresses of the public internet. The check is made
// on the address that is connected to, after every name is resolved, so that
// no redirect and no name that changes its address gets around it.
package guard

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// refused are the blocks of IPv4 that are not the public internet, as of the
// IANA special-purpose address registry (https://www.iana.org/assignments/iana-ipv4-special-registry).
var refused = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4")

// Of IPv6 only the global unicast block is public, without the parts of it that
// are for documentation or carry an IPv4 address: Teredo and its neighbours,
// 6to4 (https://www.iana.org/assignments/iana-ipv6-special-registry).
var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	refused6      = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, p := range list {
		out[i] = netip.MustParsePrefix(p)
	}
	return out
}

// AddressError says that an address is not one of the public internet.
type AddressError struct{ Address netip.Addr }

func (e AddressError) Error() string {
	return fmt.Sprintf("%s is not an address of the public internet (--allow-private allows it)", e.Address)
}

// Public returns an AddressError unless an address is one of the public
// internet.
func Public(a netip.Addr) error {
	plain := a.Unmap()
	if !plain.IsValid() || plain.Zone() != "" || inAny(refused, plain) ||
		plain.Is6() && (!globalUnicast.Contains(plain) || inAny(refused6, plain) || isatap(plain)) {
		return AddressError{a}
	}
	return nil
}

func inAny(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// isatap reports whether an address carries an IPv4 address as RFC 5214 says.
func isatap(a netip.Addr) bool {
	b := a.As16()
	return b[8]&^0x03 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// Dialer returns a dialer that connects to public addresses only, or to any
// where private ones are allowed.
func Dialer(allowPrivate bool, timeout time.Duration) *net.Dialer {
	d := &net.Dialer{Timeout: timeout}
	if !allowPrivate {
		d.Control = checkAddress
	}
	return d
}

// checkAddress is called with every address before a connection is made to it.
func checkAddress(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("connect over %s: only TCP is used", network)
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("connect to %q: %w", address, err)
	}
	return Public(to.Addr())
}
