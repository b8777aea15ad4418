import { insertOrganization } from '../../support/backlog.js';
import {
  accept,
  backlog,
  database,
  dispatched,
  feed,
  finish,
  giveOwnProvider,
  shareNow,
  useDispatchWindow,
  window,
} from './dispatch-window-fixture.js';

useDispatchWindow();

describe('the dispatch window', () => {
  it('takes no email before it is due, even if other organizations have due ones', async () => {
    const organization = await backlog(5);
    await backlog(1);
    await database.query(
      `update pending_emails set due_at = now() + interval '1 h' where email_id in (
         select email_id from pending_emails where organization_id = $1 order by due_at desc limit 3)`,
      [organization],
    );
    expect((await feed(10)).fed).toHaveLength(3);
    expect(await dispatched(organization)).toEqual([2]);
  });

  it('holds no more emails than its slots, and returns how long until something is due', async () => {
    const only = await backlog(50);
    const first = await feed(20);
    expect(first.fed).toHaveLength(20);
    expect(await dispatched(only)).toEqual([20]);
    expect((await feed(20)).fed).toHaveLength(0);
    await finish(only, 7);
    const next = await feed(20);
    expect(next.fed).toHaveLength(7);
    expect(next.nextDueInMs).toBeLessThanOrEqual(0);
  });

  it('holds no slot for an email whose worker has lost its lease', async () => {
    const lost = await backlog(10);
    expect((await feed(10)).fed).toHaveLength(10);
    const other = await backlog(5);
    const lease = `update pending_emails set lease_token = gen_random_uuid(), lease_until = now() + $1 * interval '1 s'
                    where organization_id = $2`;
    await database.query(lease, [10, lost]);
    expect((await feed(10)).fed).toHaveLength(0);
    await database.query(lease, [-10, lost]);
    expect((await feed(10)).fed).toHaveLength(5);
    expect(await dispatched(lost, other)).toEqual([10, 5]);
  });

  it('starts with the email that has been due longest', async () => {
    await backlog(30);
    const { fed } = await feed(10);
    const [row] = await database.query<{ early: string[] }>(
      'select array(select email_id from pending_emails order by due_at limit 10) as early',
    );
    expect(fed.map(({ emailId }) => emailId).sort()).toEqual([...row!.early].sort());
  });

  it('gives organizations equal shares, and the first slots to those with the fewest emails', async () => {
    const large = await backlog(500);
    expect((await feed(100)).fed).toHaveLength(100);
    const small = await backlog(3);
    const middle = await backlog(60);
    await finish(large, 60);
    const { fed } = await feed(100);
    expect(await dispatched(large, small, middle)).toEqual([40, 3, 33]);
    expect(await shareNow()).toBe(33);
    // New emails get positions from the front of the queue, for each organization separately.
    const positions = fed.slice(0, 6).map(({ position }) => position);
    expect(positions.map((place) => place - positions[0]!)).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('admits no email directly while it holds a quarter more than its slots', async () => {
    await backlog(25);
    await database.query('update pending_emails set dispatched_at = now(), place = 0');
    const organization = await insertOrganization(database);
    await feed(20);
    expect((await accept(organization)).position).toBeDefined();
    await feed(20);
    expect((await accept(organization)).position).toBeUndefined();
    await database.query('delete from pending_emails where dispatched_at is not null');
    expect((await feed(20)).fed).toHaveLength(1);
    expect((await accept(organization)).position).toBeDefined();
  });

  it('takes no slot from others for mail of organizations with their own providers, however long it waits', async () => {
    const [held, alsoHeld] = [await backlog(300), await backlog(300)];
    await giveOwnProvider(held);
    expect((await feed(100)).fed).toHaveLength(200);
    await giveOwnProvider(alsoHeld);
    const other = await backlog(50);
    expect((await feed(100)).fed).toHaveLength(50);
    expect(await dispatched(held, alsoHeld, other)).toEqual([100, 100, 50]);
    expect(await shareNow()).toBe(100);
    expect((await accept(await insertOrganization(database))).position).toBeDefined();
  });

  it('takes back emails that Redis did not accept, except those that a worker has claimed or returned', async () => {
    await backlog(4);
    const { fed } = await feed(4);
    await database.query(
      `update pending_emails set lease_token = gen_random_uuid(), lease_until = now() + interval '1 min' where email_id = $1`,
      [fed[0]!.emailId],
    );
    await database.query('update pending_emails set generation = 7 where email_id = $1', [fed[1]!.emailId]);
    await window.giveBack(fed);
    const again = (await feed(4)).fed;
    expect(again.map(({ emailId }) => emailId).sort()).toEqual([fed[2]!.emailId, fed[3]!.emailId].sort());
    expect(again.map(({ generation }) => generation)).toEqual([0, 0]);
  });

  it('holds back emails that are not due, even beside due ones', async () => {
    await backlog(5);
    await database.query(
      `update pending_emails set due_at = now() + interval '1 h'
        where email_id in (select email_id from pending_emails order by due_at desc limit 3)`,
    );
    expect((await feed(10)).fed).toHaveLength(2);
  });

  it('gives every organization slots even if there are more organizations than slots', async () => {
    const organizations: string[] = [];
    for (let n = 0; n < 30; n++) organizations.push(await backlog(3));
    const seen = new Set<string>();
    for (let round = 0; round < 5; round++) {
      expect((await feed(10)).fed).toHaveLength(10);
      const served = await dispatched(...organizations);
      organizations.filter((_, index) => served[index]! > 0).forEach((id) => seen.add(id));
      await database.query('delete from pending_emails where dispatched_at is not null');
    }
    expect(await shareNow()).toBe(5);
    // If the same organizations were always first, it would be 17.
    expect(seen.size).toBeGreaterThanOrEqual(20);
  });

  it('dispatches an email only when it is due', async () => {
    const organization = await backlog(1);
    await database.query(`update pending_emails set due_at = now() + interval '1 minute'`);
    const early = await feed(10);
    expect(early.fed).toEqual([]);
    expect(early.nextDueInMs).toBeGreaterThan(55_000);
    await database.query(`update pending_emails set due_at = default`);
    expect((await feed(10)).fed).toHaveLength(1);
    expect(await dispatched(organization)).toEqual([1]);
  });

  it('gives each email to one of several simultaneous feeders, and holds no more than its slots', async () => {
    const organization = await backlog(300);
    const epoch = await window.epoch();
    const feeds = await Promise.all(Array.from({ length: 12 }, () => window.feed(50, epoch)));
    const fed = feeds.flatMap((each) => each.fed.map(({ emailId }) => emailId));
    expect(fed).toHaveLength(50);
    expect(new Set(fed).size).toBe(50);
    expect(await dispatched(organization)).toEqual([50]);
  });
});

describe('after Redis lost the jobs', () => {
  it('feeds nothing under an ended epoch', async () => {
    await backlog(5);
    const { known, fed, epoch } = await window.feed(10, '00000000-0000-4000-8000-000000000000');
    expect({ known, fed, epoch }).toEqual({ known: false, fed: [], epoch: await window.epoch() });
  });

  it('dispatches all emails again under new job IDs, except those that a worker holds', async () => {
    const organization = await backlog(10);
    const before = await feed(10);
    await database.query(
      `update pending_emails set lease_token = gen_random_uuid(), lease_until = now() + interval '1 minute' where email_id = $1`,
      [before.fed[0]!.emailId],
    );
    const old = await window.epoch();
    const begun = await window.beginEpoch(old);
    expect(begun).toEqual({ epoch: await window.epoch(), emails: 9 });
    expect(begun!.epoch).not.toBe(old);
    expect(await dispatched(organization)).toEqual([1]);
    const again = await feed(10);
    expect(again.fed).toHaveLength(9);
    expect(new Set(again.fed.map(({ generation }) => generation))).toEqual(new Set([1]));
  });

  it('starts only one epoch even if several feeders detect the loss', async () => {
    await backlog(3);
    const old = await window.epoch();
    const begun = await Promise.all(Array.from({ length: 4 }, () => window.beginEpoch(old)));
    expect(begun.filter((epoch) => epoch !== undefined)).toHaveLength(1);
  });
});
