const LOOPBACK_NAME = /^(.*\.)?localhost\.?$/i;

/** True for a name that means this host, regardless of name servers (RFC 6761, 6.3). */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK_NAME.test(hostname);
}
