import { isIPv4, isIPv6 } from 'node:net';

/** `192.0.2.1:53` or `[2001:db8::1]:53`. No host names, because resolving them would itself need a resolver. */
export function isServer(text: string): boolean {
  const match = /^(?:\[(?<v6>[^\]%]*)\]|(?<v4>[^:]*)):(?<port>\d{1,5})$/.exec(text);
  const { v4 = '', v6 = '', port } = match?.groups ?? {};
  return (isIPv4(v4) || isIPv6(v6)) && Number(port) >= 1 && Number(port) <= 65_535;
}

/** `redis-1.internal:26379` */
export function isNamedServer(text: string): boolean {
  const match = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?:(?<port>\d{1,5})$/i.exec(text);
  const port = Number(match?.groups?.port);
  return port >= 1 && port <= 65_535;
}

/** An unescaped "/", "?" or "#" in the password ends the host early, so that the "@" ends up in the rest of the URL. */
export function endsInsidePassword({ protocol, pathname, search, hash }: URL): boolean {
  return !protocol.startsWith('http') && `${pathname}${search}${hash}`.includes('@');
}

/** True for a URL of only a scheme, a host, perhaps with a port, and a path, so that a longer path can follow it. */
export function isLinkStart(text: string): boolean {
  return /^[a-z]+:\/\/[^\s/?#@\\]+(\/[^\s?#\\]*)?$/i.test(text);
}

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^${LABEL}(\\.${LABEL})+$`);

export function readDomain(value: string): string | undefined {
  const name = value.toLowerCase();
  return DOMAIN.test(name) && name.length <= 253 ? name : undefined;
}
