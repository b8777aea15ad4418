import type { Command } from 'commander';
import { InvalidSettingsError } from '../platform/config/settings.js';
import { SendGridEventWebhooks } from '../providers/sendgrid/event-webhooks.js';
import { printJson, readCommandSettings } from './command-context.js';
import { connectEventWebhook } from './connect-event-webhook.js';

export function addSendGridCommands(program: Command, projectDirectory: string): void {
  program
    .command('sendgrid')
    .description('the SendGrid account of SENDGRID_API_KEY')
    .command('connect')
    .description(
      'set up the signed Event Webhook that reports deliveries, bounces and complaints to this service; prints the line for .env and sends a test',
    )
    .requiredOption('--url <url>', 'public https address of this service')
    .action(async ({ url }: { url: string }) => {
      const { SENDGRID_API_KEY: apiKey, SENDGRID_API_URL } = readCommandSettings(projectDirectory);
      if (apiKey === undefined) {
        throw new InvalidSettingsError(['SENDGRID_API_KEY must be set, with full access to Event Notification']);
      }
      printJson(await connectEventWebhook(new SendGridEventWebhooks({ apiKey, url: SENDGRID_API_URL }), url));
    });
}
