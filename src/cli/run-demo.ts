import type { CampaignDetail } from '../campaigns/campaign-reports.js';
import type { ContactDetail } from '../contacts/contact-views.js';
import type { EngagementStats } from '../events/engagement-stats.js';
import type { SendResponse } from '../emails/accept/send-response.js';
import type { DemoClient } from './demo-client.js';
import { browser, securityScanner } from './demo-agents.js';
import { AUDIENCE, readBroadcast, sendBroadcast, showBroadcast } from './demo-broadcast.js';
import { LOST_READERS_STATS, sendToLostReaders, showLostReaders } from './demo-feedback.js';
import type { DemoInbox } from './demo-inbox.js';
import { demoCampaign, lostReaders, newsletter, readers, TRACKED_LINKS, type Reader } from './demo-newsletter.js';

/**
 * Sends a newsletter and a broadcast, and shows the results.
 * @param waitMs how long the readers wait, because opens and clicks right after the hand-over count as a machine's
 * @param inbox embedded inbox, which receives the mail and returns bounces. Undefined if another server delivers
 * @param audience recipients of the broadcast
 */
export async function runDemo(
  client: DemoClient,
  inbox: DemoInbox | undefined,
  waitMs: number,
  audience = AUDIENCE,
): Promise<void> {
  const startedAt = new Date();
  const campaign = demoCampaign(startedAt);
  const lost = lostReaders(startedAt);
  const count = readers.length + (inbox ? Object.keys(lost).length : 0);
  console.log(`Sending a newsletter to ${count} people in the campaign "${campaign}"`);
  const emails = await Promise.all(readers.map((reader) => client.send(newsletter(reader, campaign))));
  console.log('Simulating a mail program that prefetches images and a security scanner that follows links');
  await Promise.all(readers.map((reader, index) => fetchByMachine(client, reader, emails[index]!)));
  const broadcast = await sendBroadcast(client, startedAt, audience);
  if (waitMs > 0)
    console.log(`Waiting ${waitMs / 1000} s: people do not read that soon, so earlier hits count as machines`);
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  console.log('Simulating opens and clicks of people');
  await Promise.all(readers.map((reader, index) => read(client, reader, emails[index]!)));
  await readBroadcast(client, broadcast);
  console.log(
    inbox
      ? 'Simulating a bounce, a complaint and an unsubscribe'
      : 'Simulating no bounces, because the mail does not go to the embedded inbox',
  );
  const lostEmails = inbox && (await sendToLostReaders(client, inbox, lost, campaign));
  const detail = await client.campaignWith(campaign, {
    totalOpens: sum('opens') + MACHINE_HITS.opens,
    totalClicks: sum('clicks') + MACHINE_HITS.clicks,
    ...(inbox && LOST_READERS_STATS),
  });
  showCampaign(detail);
  showContact(await client.contact(readers[0]!.email));
  if (lostEmails) await showLostReaders(client, lost, lostEmails);
  await showBroadcast(client, broadcast);
  console.log(`\nDone in ${((Date.now() - startedAt.getTime()) / 1000).toFixed(1)} s`);
}

/** Readers do not follow every link: that is what scanners do. */
const CHOSEN_LINKS = 2;

async function fetchByMachine(
  client: DemoClient,
  { machine }: Reader,
  { pixelUrl, links }: SendResponse,
): Promise<void> {
  if (!machine) return;
  await client.get(pixelUrl, machine);
  if (machine !== securityScanner) return;
  for (const { trackingUrl } of links) await client.get(trackingUrl, machine);
}

async function read(client: DemoClient, reader: Reader, email: SendResponse): Promise<void> {
  for (let opens = 0; opens < reader.opens; opens++) await client.get(email.pixelUrl, reader.mailProgram ?? browser);
  for (let clicks = 0; clicks < reader.clicks; clicks++) {
    await client.get(email.links[clicks % CHOSEN_LINKS]!.trackingUrl, browser);
  }
}

function showCampaign({ name, stats, links, emails }: CampaignDetail): void {
  const { totalEmails, totalOpens, totalClicks, openRate, clickRate, bounced, complained, unsubscribed } = stats;
  console.log(`\nCampaign "${name}"`);
  console.table([
    { emails: totalEmails, opens: totalOpens, clicks: totalClicks, 'open rate %': openRate, 'click rate %': clickRate },
  ]);
  showEngagement(stats);
  console.table([{ bounced, complained, unsubscribed }]);
  console.table(links.map(({ url, clicks, people }) => ({ link: url, clicks, 'by people': people })));
  console.table(
    emails.map(({ recipient, opens, clicks, people, machines }) => ({
      ...{ recipient, opens, clicks },
      ...{ 'by people': people.opens + people.clicks, 'by machines': machines.opens + machines.clicks },
    })),
  );
}

/** Opens and clicks by people and by machines. */
function showEngagement({ people, machines }: EngagementStats): void {
  const { opens, clicks, uniqueOpens, uniqueClicks, openRate, clickRate } = people;
  const unique = { 'unique opens': uniqueOpens, 'unique clicks': uniqueClicks };
  console.table([{ by: 'people', opens, clicks, ...unique, 'open rate %': openRate, 'click rate %': clickRate }]);
  console.table([{ by: 'machines', opens: machines.opens, clicks: machines.clicks, ...machines.byClass }]);
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

/** The opens and clicks of the machines of `readers`, of which one is a scanner. */
const MACHINE_HITS = { opens: readers.filter(({ machine }) => machine).length, clicks: TRACKED_LINKS };

function sum(what: 'opens' | 'clicks'): number {
  return readers.reduce((total, reader) => total + reader[what], 0);
}
