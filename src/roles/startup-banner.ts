import type { Role } from '../platform/config/settings.js';

export interface StartupFacts {
  readonly localAddress: string;
  /** Address of metrics, health and, with a password, the queue board. */
  readonly operatorAddress: string;
  readonly inboxUrl: string | undefined;
  /** Where mail programs send with an API key as password. */
  readonly submissionPort: number | undefined;
  readonly apiKey: string | undefined;
  /** Signs in to the demo organization, once. */
  readonly signInUrl: string | undefined;
  readonly roles: readonly Role[];
  readonly tookMs: number;
}

/** Formats the addresses and commands that a new user needs next, ready to paste. */
export function startupBanner(facts: StartupFacts): string {
  const { localAddress, operatorAddress, inboxUrl, submissionPort, apiKey, signInUrl, roles, tookMs } = facts;
  const lines = [
    ...(signInUrl ? [['Sign in', `${signInUrl}  (once, within 15 minutes)`]] : []),
    ['Address', localAddress],
    ['Metrics', `${operatorAddress}/metrics`],
    ...(inboxUrl ? [['Inbox', inboxUrl]] : []),
    ...(submissionPort ? [['SMTP', `localhost:${submissionPort}  (STARTTLS; password: an API key)`]] : []),
    ...(apiKey ? [['API key', `${apiKey}  (organization Demo)`]] : []),
  ];
  return [
    '',
    `Mailbeacon is ready: ${roles.join(', ')} (${(tookMs / 1000).toFixed(1)} s)`,
    '',
    ...lines.map(([name, value]) => `  ${name!.padEnd(9)}${value}`),
    '',
    ...(apiKey
      ? tryIt(localAddress, apiKey)
      : ['  An organization and its key: npm run --silent cli -- org create --name NAME']),
    '',
  ].join('\n');
}

function tryIt(address: string, apiKey: string): string[] {
  const email = {
    from: 'Ada <ada@acme.example>',
    to: 'reader@example.com',
    subject: 'Hello from Mailbeacon',
    htmlContent: '<p>It works. <a href="https://example.com/?from=mail">Read more</a></p>',
    campaignId: 'First steps',
  };
  return [
    '  Send an email, open it in the inbox, click its link:',
    '',
    `curl -sS ${address}/api/send -H 'x-api-key: ${apiKey}' -H 'content-type: application/json' -d '${JSON.stringify(email)}'`,
    '',
    `  Its campaign: curl -sS ${address}/api/campaigns -H 'x-api-key: ${apiKey}'`,
    '  More at once: npm run demo   ·   Stop: Ctrl-C',
  ];
}
