import { keysToRender } from '../../links/email-tracking-id.js';
import type { SigningKeys } from '../../links/signing-keys.js';
import { personalizeEmail } from '../../rendering/personalize/personalize-email.js';
import { renderEmail } from '../../rendering/render-email.js';
import { requireStoredMailbox } from '../mailbox.js';
import type { SettledEmail } from './settle-unknown-outcome.js';

/**
 * The destinations of the links of an email with an unknown outcome, as its attempt rendered it.
 * They are known even if its signing key was deleted.
 * @param platformUrl the base URL of emails without a tracking domain
 */
export function linksOfAttempt(email: SettledEmail, platformUrl: string, known: SigningKeys): string[] {
  const baseUrl = email.baseUrl ?? platformUrl;
  const { html, trackingId: emailTrackingId, shared, variables, createdAt } = email;
  const keys = keysToRender(known, emailTrackingId);
  if (!shared) return urlsOf(renderEmail({ html, emailTrackingId, baseUrl }, keys));
  const [sender, recipient] = [email.sender, email.to].map(requireStoredMailbox);
  return urlsOf(
    personalizeEmail(
      {
        ...{ source: shared, variables: variables ?? {}, now: createdAt.getTime(), emailTrackingId, baseUrl },
        unsubscribe: { sender: sender!, recipient: recipient!.address },
      },
      keys,
    ),
  );
}

function urlsOf({ links }: { readonly links: readonly { readonly originalUrl: string }[] }): string[] {
  return links.map(({ originalUrl }) => originalUrl);
}
