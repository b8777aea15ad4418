import type { Command } from 'commander';
import { join } from 'node:path';
import { runningAddress } from '../embedded/instance-lock.js';
import { InvalidSettingsError } from '../platform/config/settings.js';
import { readDemoOrganization } from '../embedded/demo-organization.js';
import { DemoClient } from './demo-client.js';
import { demoCampaign, newsletter, readers, type Reader } from './demo-newsletter.js';

export function addDemoCommand(program: Command, projectDirectory: string): void {
  program
    .command('demo')
    .description('send a newsletter through the running service, simulate opens and clicks, and show the numbers')
    .action(async () => runDemo(await connect(projectDirectory)));
}

async function connect(projectDirectory: string): Promise<DemoClient> {
  const address = await runningAddress(join(projectDirectory, '.mailbeacon'));
  const demo = await readDemoOrganization(projectDirectory);
  if (!address || !demo)
    throw new InvalidSettingsError(['The demo needs the service to run here: start it with npm start']);
  return new DemoClient(address, demo.apiKey);
}

async function runDemo(client: DemoClient): Promise<void> {
  const startedAt = Date.now();
  const campaign = demoCampaign(new Date());
  print(`Sending a newsletter to ${readers.length} people in the campaign "${campaign}"`);
  const emails = await Promise.all(readers.map((reader) => client.send(newsletter(reader, campaign))));
  print('Simulating opens and clicks');
  await Promise.all(readers.map((reader, index) => read(client, reader, emails[index]!)));
  const expected = { opens: sum(readers, 'opens'), clicks: sum(readers, 'clicks') };
  const detail = await client.campaignWith(campaign, expected);
  const contact = await client.contact(readers[0]!.email);
  showCampaign(detail);
  showContact(contact);
  print(`\nDone in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

async function read(client: DemoClient, reader: Reader, email: Awaited<ReturnType<DemoClient['send']>>): Promise<void> {
  for (let opens = 0; opens < reader.opens; opens++) await client.get(email.pixelUrl);
  for (let clicks = 0; clicks < reader.clicks; clicks++) {
    await client.get(email.links[clicks % email.links.length]!.trackingUrl);
  }
}

function showCampaign(detail: Awaited<ReturnType<DemoClient['campaignWith']>>): void {
  const { totalEmails, totalOpens, totalClicks, openRate, clickRate } = detail.stats;
  print(`\nCampaign "${detail.name}"`);
  console.table([
    { emails: totalEmails, opens: totalOpens, clicks: totalClicks, 'open rate %': openRate, 'click rate %': clickRate },
  ]);
  console.table(detail.links.map(({ url, clicks }) => ({ link: url, clicks })));
  console.table(detail.emails.map(({ recipient, opens, clicks }) => ({ recipient, opens, clicks })));
}

function showContact(contact: Awaited<ReturnType<DemoClient['contact']>>): void {
  print(`\nContact ${contact.email}`);
  const { totalEmails, totalOpens, totalClicks, engagementScore, lastActivity } = contact;
  console.table([
    {
      emails: totalEmails,
      opens: totalOpens,
      clicks: totalClicks,
      score: engagementScore,
      'last activity': lastActivity,
    },
  ]);
}

function sum(people: readonly Reader[], what: 'opens' | 'clicks'): number {
  return people.reduce((total, person) => total + person[what], 0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
