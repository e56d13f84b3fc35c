import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * True when webhooks must not go there: any address that the special-purpose registries of IANA
 * (RFC 6890 and its successors) take out of the public internet. An IPv6 form that a host or gateway
 * turns into IPv4 is judged by the address inside, or refused where that address is a relay's business.
 */
export function isForbiddenAddress(text: string): boolean {
  switch (isIP(text)) {
    case 4:
      return ipaddr.IPv4.parse(text).range() !== 'unicast';
    case 6:
      // With a zone it names an interface of this machine.
      return text.includes('%') || isForbiddenV6(parseV6(text));
    default:
      return true;
  }
}

/** Everything routable lives here (RFC 4291, section 2.4); what lies outside has special meaning. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

function isForbiddenV6(address: ipaddr.IPv6): boolean {
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().range() !== 'unicast';
  // In a network that has only IPv6, DNS64 answers with these addresses for every public host.
  if (address.match(NAT64)) return embeddedV4(address).range() !== 'unicast';
  if (!address.match(GLOBAL_UNICAST) || isIsatap(address)) return true;
  return address.range() !== 'unicast';
}

/** ipaddr.js takes ::1.2.3.4 for ::ffff:1.2.3.4; written by URL there is only one way to read it. */
const parseV6 = (text: string): ipaddr.IPv6 =>
  ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1));

const embeddedV4 = (address: ipaddr.IPv6): ipaddr.IPv4 =>
  new ipaddr.IPv4(address.toByteArray().slice(12));

/** RFC 5214: under any prefix, interface ids 0000:5efe and 0200:5efe carry an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  const [, , , , marker = 0, company] = parts;
  return company === 0x5efe && (marker & ~0x0200) === 0;
}
