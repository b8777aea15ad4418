import { pino } from 'pino';
import type { RunSettings } from '../../../src/platform/config/settings.js';
import type { DispatchedEmail } from '../../../src/emails/dispatch/dispatched-email.js';
import type { DispatchWindow } from '../../../src/emails/dispatch/dispatch-window.js';
import type { DispatchEpoch } from '../../../src/platform/queue/dispatch-epoch.js';
import type { JobProducer } from '../../../src/platform/queue/job-producer.js';
import { DispatchFeeder } from '../../../src/emails/dispatch/dispatch-feeder.js';
import type { DeliveryProviders } from '../../../src/emails/delivery/delivery-providers.js';
import { SendJobs } from '../../../src/emails/dispatch/send-jobs.js';
import { eventually } from '../../support/eventually.js';
import { NO_NOTIFICATIONS } from '../../support/no-listeners.js';

it('frees the slots of emails whose jobs Redis did not accept', async () => {
  const email: DispatchedEmail = { emailId: 'e1', generation: 3, position: 7 };
  const givenBack: (readonly DispatchedEmail[])[] = [];
  const window: Pick<DispatchWindow, 'feed' | 'giveBack'> = {
    feed: (_, epoch) => Promise.resolve({ acquired: true, known: true, epoch, restarted: false, fed: [email] }),
    giveBack: (emails) => Promise.resolve(void givenBack.push(emails)),
  };
  const epoch: Pick<DispatchEpoch, 'read'> = { read: () => Promise.resolve('epoch') };
  const producer: Pick<JobProducer, 'addAll'> = { addAll: () => Promise.reject(new Error('OOM')) };
  const feeder = new DispatchFeeder(
    window as DispatchWindow,
    epoch as DispatchEpoch,
    new SendJobs(producer as JobProducer, {} as DeliveryProviders),
    NO_NOTIFICATIONS,
    { DISPATCH_WINDOW: 10 } as RunSettings,
    pino({ level: 'silent' }),
  );
  feeder.onApplicationBootstrap();
  await eventually(() => givenBack.length > 0);
  await feeder.onModuleDestroy();
  expect(givenBack[0]).toEqual([email]);
});
