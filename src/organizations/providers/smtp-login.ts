import { readSmtpUrl } from '../../platform/config/smtp-server-address.js';
import type { Settings } from '../../platform/config/settings.js';

/**
 * True for a server of an organization that lacks the login that it needs: without one, any mail exchanger would do,
 * and workers would deliver from their own address, whose reputation all organizations share. In a closed network, in
 * which servers may have private addresses, they need none.
 */
export function lacksLogin(
  url: string,
  { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: isClosed }: Pick<Settings, 'WEBHOOK_ALLOW_PRIVATE_ADDRESSES'>,
): boolean {
  const { auth } = readSmtpUrl(url);
  return !isClosed && (auth === undefined || auth.pass === '');
}
