import type { SendResponse } from '../../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import { personOf } from '../../../src/contacts/erasure/person.js';
import { openTestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/eventually.js';
import { respondWith, WebhookReceiver } from '../../support/webhook-receiver.js';
import { ErasureBench } from './erasure-bench.js';

const JANE = 'jane@example.com';
const BOB = 'bob@example.com';

/** Strings, and what is left of them after the erasure of an address. */
const TEXTS: [text: string, address: string, left: string][] = [
  [`From:\n${JANE}`, JANE, 'From:\nerased'],
  [`\u0001${JANE}\t${JANE}"${JANE}"`, JANE, '\u0001erased\terased"erased"'],
  [`\\\n${JANE} \\${JANE}`, JANE, '\\\nerased \\erased'],
  [`n${JANE} \nn${JANE} \\n${JANE}`, JANE, `n${JANE} \nn${JANE} \\n${JANE}`],
  [`Hi\n${JANE}`, `n${JANE}`, `Hi\n${JANE}`],
  [`\\n${JANE} \nn${JANE}`, `n${JANE}`, '\\erased \nerased'],
  [`%0A${JANE}`, JANE, '%0Aerased'],
];

describe('The pattern of an address in JSON', () => {
  it.each(TEXTS)('changes %j without %s to %j', (text, address, left) => {
    const pattern = new RegExp(personOf('any', address).jsonPattern, 'gi');
    expect(JSON.parse(JSON.stringify({ text }).replace(pattern, 'erased'))).toEqual({ text: left });
  });

  it('means the same in Postgres', async () => {
    const { database, close } = await openTestDatabase(1);
    try {
      const left = await database.query(
        `select regexp_replace(value, pattern, 'erased', 'gi')::jsonb as value
           from unnest($1::text[], $2::text[]) as texts (value, pattern)`,
        [
          TEXTS.map(([text]) => JSON.stringify({ text })),
          TEXTS.map(([, address]) => personOf('any', address).jsonPattern),
        ],
      );
      expect(left).toEqual(TEXTS.map(([, , text]) => ({ value: { text } })));
    } finally {
      await close();
    }
  });
});

it('an erasure finds an address after a line break, and changes nothing of one that begins with its escape', async () => {
  const receiver = await WebhookReceiver.listen();
  const bench = await ErasureBench.start();
  try {
    receiver.respond = respondWith(200);
    await bench.client.post('/api/webhooks', { url: receiver.url, events: ['EMAIL_SENT'] });
    const send = async (to: string[], note: string): Promise<SendResponse> => bench.send({ to, metadata: { note } });
    const [after, before] = [
      await send([JANE, BOB], `From:\n${JANE}`),
      await send([`n${JANE}`, BOB], 'Hi\njane@example.com'),
    ];
    await eventually(() => receiver.received.length === 2);
    await bench.erase(`n${JANE}`);
    const note = async ({ emailTrackingId }: SendResponse) =>
      (await bench.client.get<EmailDetail>(`/api/emails/${emailTrackingId}`)).body.metadata;
    expect(await note(before)).toEqual({ note: `Hi\n${JANE}` });
    await bench.erase(JANE);
    expect(await note(after)).toEqual({ note: 'From:\nerased' });
    await eventually(async () => (await bench.find(`From:\\n${JANE}`)).length === 0);
  } finally {
    await bench.stop();
    await receiver.stop();
  }
});
