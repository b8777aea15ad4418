import type { BroadcastView } from '../broadcasts/broadcast-view.js';
import { browser } from './demo-agents.js';
import type { DemoClient } from './demo-client.js';

/** Recipients of the broadcast, unless the caller wants another number. */
export const AUDIENCE = 300;
/** How many of them open their copy; every third of these follows its link. */
const OPENING = 24;
const CLICKING = OPENING / 3;
/** How many copies are shown. */
const SHOWN = 3;
const POLL_INTERVAL_MS = 250;
/** How long the broadcast may make no progress. */
const STALLED_MS = 60_000;

const TEMPLATE = {
  name: 'Demo invitation',
  subject: '{{ name }}, your seat is {{ seat }}',
  htmlContent: `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text font-size="16px">Good evening {{ name | default: "there" }},</mj-text>
        <mj-text>
          The lamp is lit on Saturday. {% if seat %}Seat <b>{{ seat }}</b> is yours.{% endif %}
          <a href="https://lighthouse.example/seats/{{ seat }}">See where it is</a>
        </mj-text>
        <mj-text><a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>`,
};

/** Its recipients as CSV: all columns except `to` are variables. One address is repeated, and one is invalid. */
function csvOf(recipients: number): string {
  const rows = Array.from(
    { length: recipients },
    (_, n) => `guest${n + 1}@readers.example,Guest ${n + 1},${seatOf(n)}`,
  );
  return ['to,name,seat', ...rows, 'GUEST1@readers.example,Guest 1,A1', 'nobody,Nobody,'].join('\n');
}

function seatOf(n: number): string {
  return `${String.fromCharCode(65 + (n % 20))}${Math.floor(n / 20) + 1}`;
}

/** Sends one message to many recipients, and shows its progress. @returns the broadcast once it is sent */
export async function sendBroadcast(client: DemoClient, now: Date, recipients: number): Promise<BroadcastView> {
  const template = await client.createTemplate(TEMPLATE);
  console.log(`\nTemplate "${template.name}" with the variables ${template.variables.join(', ')}`);
  const { id, name } = await client.createBroadcast({
    name: `Demo broadcast ${now.toISOString().replace('T', ' ').slice(0, 19)}`,
    from: 'The Lighthouse <news@lighthouse.example>',
    templateId: template.id,
  });
  const { added, repeated, invalidTotal, invalid } = await client.addRecipients(id, csvOf(recipients));
  const reasons = invalid.map(({ line, reason }) => `line ${line}: ${reason}`).join('; ');
  console.log(`Recipients: ${added} added, ${repeated} repeated, ${invalidTotal} invalid (${reasons})`);
  console.log(`Sending the broadcast "${name}"`);
  await client.startBroadcast(id);
  return progressed(client, id);
}

async function progressed(client: DemoClient, id: string): Promise<BroadcastView> {
  let shown = -1;
  let deadline = 0;
  for (;;) {
    const broadcast = await client.broadcast(id);
    const { total, sent, failed, perSecond, etaSeconds } = broadcast.progress;
    const rate = etaSeconds === null ? '' : `, ${perSecond} a second, ${etaSeconds} s left`;
    if (sent + failed !== shown) {
      console.log(`  ${sent} of ${total} sent${failed > 0 ? `, ${failed} failed` : ''}${rate}`);
      [shown, deadline] = [sent + failed, Date.now() + STALLED_MS];
    }
    if (broadcast.status === 'sent') return broadcast;
    if (Date.now() > deadline) throw new Error(`The broadcast is still ${broadcast.status} and makes no progress`);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

/** Simulates readers of some of its copies. */
export async function readBroadcast(client: DemoClient, { name }: BroadcastView): Promise<void> {
  const copies = await client.emailsOf(name, OPENING);
  const details = await Promise.all(copies.map(({ id }) => client.email(id)));
  for (const [index, { pixelUrl, links }] of details.entries()) {
    await client.get(pixelUrl, browser);
    if (index % 3 === 0) await client.get(links[0]!.trackingUrl, browser);
  }
}

/** Shows the numbers of the broadcast and of some of its copies, once they have arrived. */
export async function showBroadcast(client: DemoClient, { id, name }: BroadcastView): Promise<void> {
  await client.campaignWith(name, { totalOpens: OPENING, totalClicks: CLICKING });
  const { progress, stats } = await client.broadcast(id);
  const { total, sent, failed, suppressed } = progress;
  console.log(`\nBroadcast "${name}"`);
  console.table([{ recipients: total, sent, failed, suppressed }]);
  const { totalOpens, totalClicks, people } = stats!;
  console.table([{ opens: totalOpens, clicks: totalClicks, 'by people': people.opens + people.clicks }]);
  const copies = await client.emailsOf(name, SHOWN);
  console.table(copies.map(({ recipient, subject, opens, clicks }) => ({ recipient, subject, opens, clicks })));
}
