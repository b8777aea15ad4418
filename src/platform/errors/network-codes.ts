/**
 * Codes of errors of sockets and name servers, as a part of a regular expression. A host that has vanished is often
 * unreachable rather than silent, and where a name has several addresses, the error has the code of the first one, such
 * as an IPv6 address on a host without IPv6.
 */
export const NETWORK_CODES =
  'ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOST(UNREACH|DOWN)|ENET(UNREACH|DOWN)|EADDRNOTAVAIL|ENOTFOUND|EAI_[A-Z]+';
