import type { Mailbox, OutgoingEmail } from '../provider.js';

interface Addressee {
  readonly email: string;
  readonly name?: string;
}

/**
 * An email as the body of POST /v3/mail/send.
 *
 * The Message-ID goes along as a header, which SendGrid takes but may replace by one of its own; what reliably
 * comes back in its events are the custom arguments, so they repeat it beside our id and attempt.
 * SendGrid's own tracking is off: links and pixel are ours, and rewriting them twice would break both.
 */
export function toMailSendBody(email: OutgoingEmail): Record<string, unknown> {
  return {
    personalizations: [addressees(email)],
    from: toAddressee(email.from),
    ...(email.replyTo && { reply_to: toAddressee(email.replyTo) }),
    subject: email.subject,
    // text/plain must come first; an empty part is refused.
    content: [
      ...(email.text === '' ? [] : [{ type: 'text/plain', value: email.text }]),
      { type: 'text/html', value: email.html },
    ],
    headers: { 'Message-ID': `<${email.messageId}>` },
    custom_args: {
      mailbeacon_email_id: email.emailId,
      mailbeacon_attempt: String(email.attempt),
      mailbeacon_message_id: email.messageId,
    },
    tracking_settings: {
      click_tracking: { enable: false, enable_text: false },
      open_tracking: { enable: false },
      subscription_tracking: { enable: false },
      ganalytics: { enable: false },
    },
  };
}

/** SendGrid refuses the whole message when an address appears twice over to, cc and bcc: the first one stays. */
function addressees({ to, cc, bcc }: OutgoingEmail): Record<string, Addressee[]> {
  const seen = new Set<string>();
  const firstSeen = (list: readonly Mailbox[]): Addressee[] =>
    list
      .filter(({ address }) => {
        const key = address.toLowerCase();
        return !seen.has(key) && seen.add(key);
      })
      .map(toAddressee);
  const lists = Object.entries({ to: firstSeen(to), cc: firstSeen(cc), bcc: firstSeen(bcc) });
  return Object.fromEntries(lists.filter(([, list]) => list.length > 0));
}

function toAddressee({ address, name }: Mailbox): Addressee {
  return name ? { email: address, name } : { email: address };
}
