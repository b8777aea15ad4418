import type { CampaignDetail } from '../campaigns/campaign-reports.js';
import type { ContactDetail } from '../contacts/contact-views.js';
import type { SendResponse } from '../emails/accept/send-response.js';
import type { DemoClient } from './demo-client.js';
import { LOST_READERS_STATS, sendToLostReaders, showLostReaders } from './demo-feedback.js';
import type { DemoInbox } from './demo-inbox.js';
import { demoCampaign, lostReaders, newsletter, readers, type Reader } from './demo-newsletter.js';

/**
 * Sends a newsletter and shows what becomes of it.
 * @param inbox embedded inbox, which receives the mail and returns bounces. Undefined if another server delivers
 */
export async function runDemo(client: DemoClient, inbox: DemoInbox | undefined): Promise<void> {
  const startedAt = new Date();
  const campaign = demoCampaign(startedAt);
  const lost = lostReaders(startedAt);
  const count = readers.length + (inbox ? Object.keys(lost).length : 0);
  console.log(`Sending a newsletter to ${count} people in the campaign "${campaign}"`);
  const emails = await Promise.all(readers.map((reader) => client.send(newsletter(reader, campaign))));
  console.log('Simulating opens and clicks');
  await Promise.all(readers.map((reader, index) => read(client, reader, emails[index]!)));
  console.log(
    inbox
      ? 'Simulating a bounce, a complaint and an unsubscribe'
      : 'Simulating no bounces, because the mail does not go to the embedded inbox',
  );
  const lostEmails = inbox && (await sendToLostReaders(client, inbox, lost, campaign));
  const detail = await client.campaignWith(campaign, {
    totalOpens: sum('opens'),
    totalClicks: sum('clicks'),
    ...(inbox && LOST_READERS_STATS),
  });
  showCampaign(detail);
  showContact(await client.contact(readers[0]!.email));
  if (lostEmails) await showLostReaders(client, lost, lostEmails);
  console.log(`\nDone in ${((Date.now() - startedAt.getTime()) / 1000).toFixed(1)} s`);
}

async function read(client: DemoClient, reader: Reader, email: SendResponse): Promise<void> {
  for (let opens = 0; opens < reader.opens; opens++) await client.get(email.pixelUrl);
  for (let clicks = 0; clicks < reader.clicks; clicks++) {
    await client.get(email.links[clicks % email.links.length]!.trackingUrl);
  }
}

function showCampaign({ name, stats, links, emails }: CampaignDetail): void {
  const { totalEmails, totalOpens, totalClicks, openRate, clickRate, bounced, complained, unsubscribed } = stats;
  console.log(`\nCampaign "${name}"`);
  console.table([
    { emails: totalEmails, opens: totalOpens, clicks: totalClicks, 'open rate %': openRate, 'click rate %': clickRate },
  ]);
  console.table([{ bounced, complained, unsubscribed }]);
  console.table(links.map(({ url, clicks }) => ({ link: url, clicks })));
  console.table(emails.map(({ recipient, opens, clicks }) => ({ recipient, opens, clicks })));
}

function showContact({
  email,
  totalEmails,
  totalOpens,
  totalClicks,
  engagementScore,
  lastActivity,
}: ContactDetail): void {
  console.log(`\nContact ${email}`);
  const score = engagementScore;
  console.table([
    { emails: totalEmails, opens: totalOpens, clicks: totalClicks, score, 'last activity': lastActivity },
  ]);
}

function sum(what: 'opens' | 'clicks'): number {
  return readers.reduce((total, reader) => total + reader[what], 0);
}
