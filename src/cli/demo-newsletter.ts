import { appleMail, gmail, securityScanner, type DemoAgent } from './demo-agents.js';

/** A recipient of the newsletter, with the number of opens and clicks to simulate. */
export interface Reader {
  readonly name: string;
  readonly email: string;
  readonly opens: number;
  readonly clicks: number;
  /** The program that loads the pixel when the reader opens the email; a browser by default. */
  readonly mailProgram?: DemoAgent;
  /** A machine that loads the pixel, and each link if it is a scanner, as soon as the email arrives. */
  readonly machine?: DemoAgent;
}

/** Recipients who do not get the newsletter a second time. */
export interface LostReaders {
  readonly bounces: Reader;
  readonly complains: Reader;
  readonly unsubscribes: Reader;
}

export const readers: readonly Reader[] = [
  { name: 'Ada', email: 'ada@readers.example', opens: 3, clicks: 2, mailProgram: gmail },
  { name: 'Grace', email: 'grace@readers.example', opens: 1, clicks: 1 },
  { name: 'Linus', email: 'linus@readers.example', opens: 2, clicks: 0 },
  { name: 'Margaret', email: 'margaret@readers.example', opens: 1, clicks: 3, machine: securityScanner },
  { name: 'Edsger', email: 'edsger@readers.example', opens: 0, clicks: 0, machine: appleMail },
];

/** Tracked links of the newsletter. */
export const TRACKED_LINKS = 3;

/** They get new addresses for every run, because the addresses of earlier runs are suppressed. */
export function lostReaders(now: Date): LostReaders {
  const label = now.getTime().toString(36);
  const reader = (name: string, local: string, domain: string): Reader => ({
    ...{ name, opens: 0, clicks: 0 },
    email: `${local}+${label}@${domain}`,
  });
  return {
    // The embedded inbox plays the servers of these two.
    bounces: reader('Charles', 'bounce', 'simulator.example'),
    complains: reader('Howard', 'complaint', 'simulator.example'),
    unsubscribes: reader('Olive', 'olive', 'readers.example'),
  };
}

/** Names a new campaign for every run, so that the displayed numbers belong to this run. */
export function demoCampaign(now: Date): string {
  return `Demo newsletter ${now.toISOString().replace('T', ' ').slice(0, 19)}`;
}

/** Builds a send request with an MJML body. Each reader gets a separate email and therefore separate statistics. */
export function newsletter(reader: Reader, campaign: string): object {
  return {
    from: 'The Lighthouse <news@lighthouse.example>',
    to: reader.email,
    subject: 'What the light saw this month',
    htmlContent: mjml(reader.name),
    campaignId: campaign,
    metadata: { edition: 'demo' },
    unsubscribe: true,
  };
}

function mjml(name: string): string {
  return `<mjml>
  <mj-head><mj-preview>Three short stories from the coast</mj-preview></mj-head>
  <mj-body background-color="#f2f5f7">
    <mj-section background-color="#12344d" padding="24px">
      <mj-column><mj-text color="#ffffff" font-size="24px">The Lighthouse</mj-text></mj-column>
    </mj-section>
    <mj-section background-color="#ffffff">
      <mj-column>
        <mj-text font-size="16px">Good evening ${name},</mj-text>
        <mj-text>
          The <a href="https://lighthouse.example/stories/fog?edition=12&amp;from=mail">fog of last week</a> is gone,
          the <a href="https://lighthouse.example/stories/lamp">new lamp</a> is lit.
        </mj-text>
        <mj-button href="https://lighthouse.example/visit" background-color="#e8702a">Plan a visit</mj-button>
      </mj-column>
    </mj-section>
    <mj-section>
      <mj-column><mj-text><a href="{{unsubscribe_url}}">Unsubscribe</a></mj-text></mj-column>
    </mj-section>
  </mj-body>
</mjml>`;
}
