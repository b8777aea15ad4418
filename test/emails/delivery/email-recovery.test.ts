import { pino } from 'pino';
import type { EmailLoader } from '../../../src/emails/delivery/load-email.js';
import type { LoadedEmail } from '../../../src/emails/delivery/loaded-email.js';
import type { AbandonedEmails, AbandonedLease } from '../../../src/emails/delivery/abandoned-emails.js';
import type { DeliveryOutcome } from '../../../src/providers/provider.js';
import type { DispatchedEmail } from '../../../src/emails/dispatch/dispatched-email.js';
import type { DispatchWindow } from '../../../src/emails/dispatch/dispatch-window.js';
import type { SendJobs } from '../../../src/emails/dispatch/send-jobs.js';
import type { DeliveryAttempt, DeliverySettlement } from '../../../src/emails/delivery/delivery-settlement.js';
import { EmailRecovery } from '../../../src/emails/delivery/email-recovery.js';

type Found = Pick<LoadedEmail, 'status' | 'crashes'>;

/** Recovers abandoned emails in these states, identified by their number. */
async function recover(...found: (Found | undefined)[]) {
  const recorded: string[] = [];
  const abandoned = {
    takeOver: () =>
      Promise.resolve(found.map((_, n): AbandonedLease => ({ emailId: `${n}`, token: 't', attempts: 3 }))),
    overdue: () => Promise.resolve([]),
  } as unknown as AbandonedEmails;
  const emails = {
    find: (id: string) => Promise.resolve(found[Number(id)] && { id, ...found[Number(id)] }),
  } as unknown as EmailLoader;
  const settlement = {
    now: () => new Date(),
    settle: ({ email, attempt }: DeliveryAttempt, { kind }: DeliveryOutcome) => {
      if (email.id === '1') return Promise.reject(new Error('Postgres is down'));
      recorded.push(`${email.id} ${kind} on attempt ${attempt}`);
      return Promise.resolve();
    },
  } as unknown as DeliverySettlement;
  const recovery = new EmailRecovery(
    abandoned,
    emails,
    settlement,
    {} as DispatchWindow,
    {} as SendJobs,
    pino({ level: 'silent' }),
  );
  await recovery.run();
  return recorded;
}

describe('an email whose worker died while it held it', () => {
  it.each([
    ['sending', 0, '0 ambiguous on attempt 3'],
    ['sending', 20, '0 ambiguous on attempt 3'],
    ['sending', 21, '0 ambiguous on attempt 3'],
  ] as const)('and is %s after %d crashes: %s', async (status, crashes, end) => {
    expect(await recover({ status, crashes })).toEqual([end]);
  });

  it('and was deleted meanwhile is skipped', async () => {
    expect(await recover(undefined)).toEqual([]);
  });

  it('and cannot be settled now does not block others', async () => {
    const one = { status: 'sending', crashes: 0 } as const;
    expect(await recover(one, one, one)).toEqual(['0 ambiguous on attempt 3', '2 ambiguous on attempt 3']);
  });
});

describe('emails without a job', () => {
  const email = (position: number): DispatchedEmail => ({ emailId: `${position}`, generation: 0, position });

  it('are queued in the order of their positions, or given back to the feeder if Redis does not take them', async () => {
    const abandoned = {
      takeOver: () => Promise.resolve([]),
      overdue: () => Promise.resolve([email(3), email(1), email(2)]),
    } as unknown as AbandonedEmails;
    const added: string[][] = [];
    const givenBack: number[] = [];
    let isReachable = true;
    const jobs = {
      add: (emails: readonly DispatchedEmail[]) => {
        added.push(emails.map(({ emailId }) => emailId));
        return isReachable ? Promise.resolve() : Promise.reject(new Error('Redis is down'));
      },
    } as unknown as SendJobs;
    const window = {
      giveBack: (emails: readonly DispatchedEmail[]) => Promise.resolve(void givenBack.push(emails.length)),
    } as unknown as DispatchWindow;
    const settlement = {} as DeliverySettlement;
    const logger = pino({ level: 'silent' });
    const recovery = new EmailRecovery(abandoned, {} as EmailLoader, settlement, window, jobs, logger);
    await recovery.run();
    expect([added, givenBack]).toEqual([[['1', '2', '3']], []]);
    isReachable = false;
    await expect(recovery.run()).rejects.toThrow('Redis is down');
    expect(givenBack).toEqual([3]);
  });
});
