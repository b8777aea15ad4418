import { InjectQueue } from '@nestjs/bullmq';
import { Inject, Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { Registry } from 'prom-client';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { EmailBacklog, OWN_PROVIDERS, type PlanBacklog } from '../../emails/dispatch/email-backlog.js';
import { METRICS } from '../../platform/health/metrics.js';
import { registerScrapedGauge, cached, type Sample } from '../../platform/health/scraped-gauge.js';
import { QUEUES } from '../../platform/queue/jobs.js';
import { DeliveryProviders } from '../../emails/delivery/delivery-providers.js';
import { PAUSE_CAUSES } from '../../emails/delivery/provider-pause-key.js';

/** For organizations whose plan is no longer configured. */
const OTHER_CLASS = 'other';

/**
 * The backlog by class of organization (its plan, or that it has its own providers), and what delays it. Every worker
 * reports the same values.
 */
@Injectable()
export class BacklogMetrics {
  constructor(
    @Inject(METRICS) registry: Registry,
    @Inject(SETTINGS) settings: Settings,
    backlog: EmailBacklog,
    providers: DeliveryProviders,
    @InjectQueue(QUEUES.emails) queue: Queue,
  ) {
    const classes = [...settings.PLANS.keys(), OWN_PROVIDERS, OTHER_CLASS];
    observeClasses(
      registry,
      classes,
      cached(() => backlog.byPlan()),
    );
    registerScrapedGauge(
      registry,
      {
        name: 'mailbeacon_emails_scheduled',
        help: 'Scheduled emails that are not due yet; counted up to 100,000',
      },
      async () => [{ value: await backlog.scheduled() }],
    );
    registerScrapedGauge<'state'>(
      registry,
      { name: 'mailbeacon_email_jobs', help: 'Email jobs in Redis', labelNames: ['state'] },
      () => jobsOf(queue),
    );
    registerScrapedGauge(
      registry,
      {
        name: 'mailbeacon_dispatch_front_position',
        help: 'Front position of the email queue since positions last restarted; beyond 41 million emails are sent first come, first served',
      },
      async () => [{ value: await backlog.frontPosition() }],
    );
    registerScrapedGauge<'provider' | 'cause'>(
      registry,
      {
        name: 'mailbeacon_provider_pause_seconds',
        help: 'Seconds until a provider is called again after it throttled us, refused our credential or failed',
        labelNames: ['provider', 'cause'],
      },
      async () => {
        const pauses = await providers.remainingByCause();
        return pauses.flatMap(({ id, remaining }) =>
          PAUSE_CAUSES.map((cause) => ({ labels: { provider: id, cause }, value: remaining[cause] / 1000 })),
        );
      },
    );
  }
}

function observeClasses(registry: Registry, classes: readonly string[], byPlan: () => Promise<PlanBacklog[]>): void {
  const labelNames = ['class'] as const;
  const samples = async (valueOf: (plan: PlanBacklog) => number, join: (a: number, b: number) => number) => {
    const values = new Map(classes.map((name) => [name, 0]));
    for (const plan of await byPlan()) {
      const name = values.has(plan.plan) ? plan.plan : OTHER_CLASS;
      values.set(name, join(values.get(name)!, valueOf(plan)));
    }
    return [...values].map(([name, value]): Sample<'class'> => ({ labels: { class: name }, value }));
  };
  registerScrapedGauge(
    registry,
    {
      name: 'mailbeacon_emails_due',
      help: 'Emails that are due, including those being delivered; counted up to 100,000 in total',
      labelNames,
    },
    () =>
      samples(
        ({ emails }) => emails,
        (a, b) => a + b,
      ),
  );
  registerScrapedGauge(
    registry,
    {
      name: 'mailbeacon_emails_oldest_due_seconds',
      help: 'How long the oldest due email has been due',
      labelNames,
    },
    () => samples(({ oldestSeconds }) => oldestSeconds, Math.max),
  );
}

async function jobsOf(queue: Queue): Promise<Sample<'state'>[]> {
  const {
    wait = 0,
    prioritized = 0,
    active = 0,
    delayed = 0,
  } = await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed');
  return [
    { labels: { state: 'waiting' }, value: wait + prioritized },
    { labels: { state: 'active' }, value: active },
    { labels: { state: 'delayed' }, value: delayed },
  ];
}
