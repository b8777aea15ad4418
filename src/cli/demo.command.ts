import type { Command } from 'commander';
import { join } from 'node:path';
import { findEmbeddedServices } from '../embedded/embedded-services.js';
import { runningAddress } from '../embedded/instance-lock.js';
import { InvalidSettingsError } from '../platform/config/settings.js';
import { readDemoOrganization } from '../embedded/demo-organization.js';
import { readCommandSettings } from './command-context.js';
import { DemoClient } from './demo-client.js';
import { DemoInbox } from './demo-inbox.js';
import { runDemo } from './run-demo.js';

export function addDemoCommand(program: Command, projectDirectory: string): void {
  program
    .command('demo')
    .description(
      'send a newsletter and a broadcast through the running service, simulate opens, clicks, a bounce, a complaint and an unsubscribe, and show the numbers',
    )
    .action(async () =>
      runDemo(await connect(projectDirectory), await findInbox(projectDirectory), readerDelayOf(projectDirectory)),
    );
}

async function connect(projectDirectory: string): Promise<DemoClient> {
  const address = await runningAddress(join(projectDirectory, '.mailbeacon'));
  const demo = await readDemoOrganization(projectDirectory);
  if (!address || !demo)
    throw new InvalidSettingsError(['The demo needs the service to run here: start it with npm start']);
  return new DemoClient(address, demo.apiKey);
}

/** Until then, the timing rules classify the opens and clicks of an email as machine hits. */
function readerDelayOf(projectDirectory: string): number {
  const { ENGAGEMENT_INSTANT_MS, ENGAGEMENT_AROUND_SCANNER_MS } = readCommandSettings(projectDirectory);
  return Math.max(ENGAGEMENT_INSTANT_MS, ENGAGEMENT_AROUND_SCANNER_MS);
}

async function findInbox(projectDirectory: string): Promise<DemoInbox | undefined> {
  const inboxUrl = (await findEmbeddedServices(projectDirectory))?.inboxUrl;
  return inboxUrl === undefined ? undefined : new DemoInbox(inboxUrl);
}
