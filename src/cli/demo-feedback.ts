import type { SendResponse } from '../emails/accept/send-response.js';
import type { DemoClient, ExpectedStats } from './demo-client.js';
import type { DemoInbox } from './demo-inbox.js';
import { newsletter, type LostReaders } from './demo-newsletter.js';

/** Numbers of the campaign after `sendToLostReaders`. */
export const LOST_READERS_STATS = { bounced: 1, complained: 1, unsubscribed: 1 } satisfies ExpectedStats;

/** Sends the newsletter to recipients whose servers or mail programs respond to it. Returns the emails. */
export async function sendToLostReaders(
  client: DemoClient,
  inbox: DemoInbox,
  { bounces, complains, unsubscribes }: LostReaders,
  campaign: string,
): Promise<SendResponse[]> {
  const readers = [bounces, complains, unsubscribes];
  const emails = await Promise.all(readers.map((reader) => client.send(newsletter(reader, campaign))));
  // The inbox sends a bounce and an abuse report automatically.
  const unsubscribed = await client.email(emails[2]!.emailTrackingId);
  if (unsubscribed.providerId === null) throw new Error(`The email to ${unsubscribes.email} is ${unsubscribed.status}`);
  await client.unsubscribe(await inbox.unsubscribeAddress(unsubscribed.providerId));
  return emails;
}

/** Shows what the API reports about these recipients, and that they get no further mail. */
export async function showLostReaders(
  client: DemoClient,
  { bounces, complains, unsubscribes }: LostReaders,
  emails: readonly SendResponse[],
): Promise<void> {
  const details = await Promise.all(emails.map(({ emailTrackingId }) => client.email(emailTrackingId)));
  console.log('\nRecipients that the newsletter lost');
  console.table(
    details
      .flatMap(({ recipients }) => recipients)
      .map(({ address, state, smtpStatus, reason }) => ({ recipient: address, state, status: smtpStatus, reason })),
  );
  const timeline = await client.timeline(emails[1]!.emailTrackingId);
  if (timeline.length > 0) console.log(`\nTimeline of the email to ${complains.email}`);
  for (const { at, type, reason } of timeline) console.log(`  ${at}  ${type}${reason ? `: ${reason}` : ''}`);
  const addresses = [bounces, complains, unsubscribes].map(({ email }) => email);
  const entries = await Promise.all(addresses.map((address) => client.suppression(address)));
  console.log('\nSuppressions');
  console.table(entries.map(({ address, reason, scope, note }) => ({ address, reason, scope, note })));
  await showFurtherMail(client, bounces.email, unsubscribes.email);
}

async function showFurtherMail(client: DemoClient, bounced: string, unsubscribed: string): Promise<void> {
  const receipt = {
    from: 'The Lighthouse <shop@lighthouse.example>',
    subject: 'Your ticket',
    htmlContent: '<p>Come!</p>',
  };
  const refusal = await client.sendInVain({ ...receipt, to: bounced });
  console.log(`\nAnother email to ${bounced}: ${refusal.status} ${refusal.error}`);
  const { to, suppressed = [] } = await client.send({ ...receipt, to: [unsubscribed, bounced] });
  const leftOut = suppressed.map(({ address, reason }) => `${address} (${reason})`).join(', ');
  console.log(`A ticket to ${to.join(' and ')}: leaves out ${leftOut || 'no recipient'}`);
  const offer = await client.sendInVain({ ...receipt, to: unsubscribed, unsubscribe: true });
  console.log(`Another newsletter to ${unsubscribed}: ${offer.status} ${offer.error}`);
}
