import { Inject, Injectable } from '@nestjs/common';
import { recallEmails } from '../../emails/dispatch/recall-emails.sql.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { JobProducer } from '../../platform/queue/job-producer.js';
import { wakeWebhookDeliveries } from '../../webhooks/wake-webhook-deliveries.js';
import { addGuard, changeGuard, type GuardChange } from './guard-change.js';
import { GuardMetrics } from './guard-metrics.js';
import { WINDOWED_RATES } from './guard-rates.js';
import { guardVerdict, lowestLimits, type GuardVerdict, type SendingCounts } from './guard-verdict.js';

/** How long hourly counts are needed, and a day more for inspection. */
const KEPT_DAYS = 8;

/**
 * Counts that may exceed a limit. $1: the smallest number of recipients, $2 and $3: the lowest limits of bounces and
 * complaints.
 */
const SUSPICIOUS = `
select r.organization_id as "organizationId", r.domain, w.hours, sum(r.sent)::integer as sent,
       sum(r.bounced)::integer as bounced, sum(r.complained)::integer as complained
${WINDOWED_RATES}
 group by w.hours, grouping sets ((r.organization_id), (r.organization_id, r.domain))
having sum(r.sent) >= $1::integer
   and (sum(r.bounced) >= $2::float8 * sum(r.sent) or sum(r.complained) >= $3::float8 * sum(r.sent))
 order by r.organization_id, w.hours, r.domain nulls first`;

const STATES = 'select organization_id as id, changed_at as since from sending_guards';

/** $1: organizations that are still above a limit. */
const RECOVERED = `
select organization_id as id from sending_guards where state in ('warned', 'slowed') and organization_id <> all($1::uuid[])`;

/** States that a verdict may leave. A pause ends only by a command. */
const LEAVES = {
  warned: ['normal', 'slowed'],
  slowed: ['normal', 'warned'],
  paused: ['normal', 'warned', 'slowed'],
} as const;

const LOGGED = {
  normal: 'Organization sends within the limits again',
  warned: 'Organization warned',
  slowed: 'Organization slowed down',
  paused: 'Organization paused',
} as const;

const RECALL = recallEmails(`p.organization_id in (select organization_id from sending_guards where state = 'paused')`);

interface CountsRow extends SendingCounts {
  readonly organizationId: string;
}

/** Warns, slows down and pauses organizations whose mail bounces or is complained about too often. */
@Injectable()
export class SendingGuards {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly metrics: GuardMetrics,
    private readonly producer: JobProducer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Compares the rates of every organization with the limits, by the Postgres clock. Any number of processes may run it
   * at the same time.
   */
  async evaluate(): Promise<void> {
    // Read before the rates: a state that changes in between is left alone until the next run.
    const states = await this.database.query<{ id: string; since: Date }>(STATES);
    const since = new Map(states.map((guard) => [guard.id, guard.since]));
    const now = new Date();
    const verdicts = await this.verdicts();
    const recovered = await this.database.query<{ id: string }>(RECOVERED, [[...verdicts.keys()]]);
    // One organization that fails each time must not leave all others unguarded.
    const failures: unknown[] = [];
    const toChange = [...verdicts, ...recovered.map(({ id }) => [id, undefined] as const)];
    for (const [id, verdict] of toChange)
      await this.apply(id, verdict, since.get(id) ?? now).catch((error: unknown) => failures.push(error));
    await this.database.query(RECALL);
    await this.database.query(`delete from sending_rates where hour < now() - interval '${KEPT_DAYS} days'`);
    if (failures.length > 0) throw failures[0];
  }

  /**
   * The organization that sends invitations is only warned: owners of all others choose its recipients, and could
   * otherwise stop everyone's links for forgotten passwords.
   */
  private async verdicts(): Promise<Map<string, GuardVerdict>> {
    const { bounces, complaints } = lowestLimits(this.settings);
    const { GUARD_MIN_SENT } = this.settings;
    const rows = await this.database.query<CountsRow>(SUSPICIOUS, [GUARD_MIN_SENT, bounces, complaints]);
    const countsOf = new Map<string, CountsRow[]>();
    for (const row of rows) {
      const counts = countsOf.get(row.organizationId);
      if (counts) counts.push(row);
      else countsOf.set(row.organizationId, [row]);
    }
    const verdicts = new Map<string, GuardVerdict>();
    for (const [id, counts] of countsOf) {
      const verdict = guardVerdict(counts, this.settings, id === this.settings.USER_MAIL_ORGANIZATION);
      if (verdict) verdicts.set(id, verdict);
    }
    return verdicts;
  }

  /** @param verdict undefined when the rates are below the limits again */
  private async apply(organizationId: string, verdict: GuardVerdict | undefined, since: Date): Promise<void> {
    if (!verdict) return this.release(organizationId, since);
    const { state, reason, rates } = verdict;
    await addGuard(this.database, organizationId, since);
    await this.change({ organizationId, from: LEAVES[state], to: state, reason, rates, since });
  }

  private release(organizationId: string, since: Date): Promise<void> {
    const reason = 'The rates are below the limits again';
    return this.change({ organizationId, from: ['warned', 'slowed'], to: 'normal', reason, since });
  }

  private async change(change: GuardChange): Promise<void> {
    const deliveryIds = await changeGuard(this.database, change);
    if (!deliveryIds) return;
    this.report(change);
    if (deliveryIds.length > 0) await wakeWebhookDeliveries(this.producer, this.logger, deliveryIds);
  }

  private report({ organizationId, to, reason }: GuardChange): void {
    this.metrics.countChange(to);
    if (to === 'normal') this.logger.info({ organizationId }, LOGGED[to]);
    else this.logger.warn({ organizationId, reason }, LOGGED[to]);
  }
}
