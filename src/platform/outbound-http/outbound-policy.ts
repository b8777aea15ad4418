import { isIP } from 'node:net';
import { isLoopbackName } from './loopback-name.js';
import { isPublicAddress } from './public-address.js';

/** Rules for requests to user-supplied URLs. */
export interface OutboundPolicy {
  /** Lifts every rule about hosts, addresses, ports and schemes. For development and closed networks. */
  readonly allowPrivateAddresses: boolean;
  readonly allowHttp: boolean;
  /** Name of this service's own public host. */
  readonly ownHost: string;
}

/** Unprivileged ports from the Fetch Standard's list of bad ports, on which no web server listens. */
const BAD_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

const OWN_HOST = 'must not lead to this service itself';
const NOT_PUBLIC = 'must not lead to a private, loopback, link-local or otherwise reserved address';

/** The same for all names without a public address, so that nobody learns which names a network has. */
const NO_PUBLIC_ADDRESS =
  'must lead to a public address: its name has none, or a private, loopback, link-local or otherwise reserved one';

/** Thrown before any request to a forbidden address. The message completes "the address …". */
export class TargetRefusedError extends Error {}

/** Returns why a URL is refused before its host name is resolved, as in "url …", or undefined if it is allowed. */
export function refusalOf(url: URL, policy: OutboundPolicy): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (policy.allowPrivateAddresses) return undefined;
  if (url.protocol === 'http:' && !policy.allowHttp) return 'must start with https://';
  if (!isWebPort(url.port))
    return 'must have port 443, 80, or one from 1024 up that is not reserved for other protocols';
  const host = hostOf(url);
  if (host.replace(/\.$/, '') === policy.ownHost) return OWN_HOST;
  return refusalOfHost(host);
}

/** The ports of mail servers (RFC 5321, 6409, 8314), and the one that many providers add. */
const MAIL_PORTS = new Set([25, 465, 587, 2525]);

/** The same for a mail server, as in "url …". @param host without the brackets of an IPv6 address */
export function refusalOfMailServer(host: string, port: number, policy: OutboundPolicy): string | undefined {
  if (policy.allowPrivateAddresses) return undefined;
  if (!MAIL_PORTS.has(port)) return `must have port ${[...MAIL_PORTS].join(', ')}`;
  if (host.replace(/\.$/, '').toLowerCase() === policy.ownHost) return OWN_HOST;
  return refusalOfHost(host);
}

/** Names are checked when they are resolved, except those that mean this host. */
function refusalOfHost(host: string): string | undefined {
  const isInternal = isIP(host) === 0 ? isLoopbackName(host) : !isPublicAddress(host);
  return isInternal ? NOT_PUBLIC : undefined;
}

/**
 * Every address of a host name must be allowed, because a connection may use any of them.
 * @throws TargetRefusedError if one is not, or if there are none
 */
export function requirePublicAddresses(addresses: readonly string[], policy: OutboundPolicy): void {
  if (policy.allowPrivateAddresses) return;
  if (addresses.length === 0 || !addresses.every(isPublicAddress)) throw new TargetRefusedError(NO_PUBLIC_ADDRESS);
}

/** The host without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** @param port as in URL: empty for the default port of the scheme */
function isWebPort(port: string): boolean {
  const number = Number(port);
  return port === '' || number === 443 || number === 80 || (number >= 1024 && !BAD_PORTS.has(number));
}
