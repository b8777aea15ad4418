import type { Queue } from 'bullmq';
import { Registry } from 'prom-client';
import type { DeliveryProviders } from '../../../src/emails/delivery/delivery-providers.js';
import type { EmailBacklog } from '../../../src/emails/dispatch/email-backlog.js';
import type { Settings } from '../../../src/platform/config/settings.js';
import { BacklogMetrics } from '../../../src/roles/worker/backlog-metrics.js';

it('plans that are not configured are one class, which has the sum of their emails and the age of the oldest', async () => {
  const registry = new Registry();
  const byPlan = [
    { plan: 'pro', emails: 5, oldestSeconds: 7 },
    { plan: 'former', emails: 1, oldestSeconds: 10 },
    { plan: 'older', emails: 2, oldestSeconds: 30 },
  ];
  const backlog = {
    byPlan: () => Promise.resolve(byPlan),
    scheduled: () => Promise.resolve(0),
    frontPosition: () => Promise.resolve(0),
  };
  const counts = { wait: 1, prioritized: 2, active: 4, delayed: 8 };
  new BacklogMetrics(
    registry,
    { PLANS: new Map([['pro', 1]]) } as unknown as Settings,
    backlog as unknown as EmailBacklog,
    { remainingByCause: () => Promise.resolve([]) } as unknown as DeliveryProviders,
    { getJobCounts: () => Promise.resolve(counts) } as unknown as Queue,
  );
  const lines = (await registry.metrics()).split('\n');
  for (const line of [
    'mailbeacon_emails_due{class="pro"} 5',
    'mailbeacon_emails_due{class="other"} 3',
    'mailbeacon_emails_oldest_due_seconds{class="pro"} 7',
    'mailbeacon_emails_oldest_due_seconds{class="other"} 30',
    'mailbeacon_email_jobs{state="waiting"} 3',
    'mailbeacon_email_jobs{state="active"} 4',
    'mailbeacon_email_jobs{state="delayed"} 8',
  ])
    expect(lines).toContain(line);
});
