import type { ContactDetail } from '../../../src/contacts/contact-views.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { ErasureBench } from './erasure-bench.js';

const [JANE, BOB] = ['jane@example.com', 'bob@example.com'];

it('a send that creates the contact while an erasure of the unknown person begins keeps its recipient', async () => {
  const bench = await ErasureBench.start();
  const { client, service } = bench;
  try {
    let erasure!: Promise<{ status: number }>;
    let emailTrackingId!: string;
    // The erasure has found no contact, and has not listed emails that name the address.
    await whileLocked(
      service.database,
      (sql) => sql.query('lock table contact_erasures in share mode'),
      async () => {
        erasure = client.delete(`/api/contacts/${JANE}`);
        await lockedOut(service.database, 1);
        ({ emailTrackingId } = await bench.send({ to: [JANE, BOB] }));
      },
    );
    expect((await erasure).status).toBe(404);
    expect((await client.get<ContactDetail>(`/api/contacts/${JANE}`)).body.totalEmails).toBe(1);
    expect((await bench.read(emailTrackingId)).to).toEqual([JANE, BOB]);
    expect(await bench.erase(JANE)).toBe(true);
    expect(await bench.find(JANE)).toEqual([]);
  } finally {
    await bench.stop();
  }
});
