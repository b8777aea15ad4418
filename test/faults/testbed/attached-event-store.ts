import { clickhouseEngine } from '../../../scripts/clickhouse-engine.mjs';
import { ClickHouse } from '../../support/clickhouse.js';
import { eventually } from '../../support/eventually.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { eventStoreMatchesPostgres, type ComparedEvent } from '../invariants/event-store-invariant.js';
import type { Testbed } from './testbed.js';

const POLL_MS = 60_000;
const CLOSED_PORT = new URL('http://127.0.0.1:9');

/** The events that the event store must have: all except those of erased emails. */
const EVENTS_IN_POSTGRES = `
select v.id, concat_ws(' ', e.tracking_id, v.type, v.verdict, coalesce(v.link_position, -1)) as content
  from events v join emails e on e.id = v.email_id where v.ordinal = 1 and e.contact_ids <> '{}'
union all
select s.id, concat_ws(' ', e.tracking_id, 'summed', s.opens, s.clicks)
  from event_sums s join emails e on e.id = s.email_id where e.contact_ids <> '{}'
union all
select d.id, concat_ws(' ', e.tracking_id, d.type, 0, -1)
  from delivery_events d join emails e on e.id = d.email_id where e.contact_ids <> '{}'`;

const EVENTS_IN_STORE = `
select toString(id) as id, if(type = 'summed', concatWithSeparator(' ', email, type, toString(opens), toString(clicks)),
       concatWithSeparator(' ', email, type, toString(verdict), toString(link_position))) as content
  from mailbeacon_events final`;

interface Count {
  readonly count: number | string;
}

/** The ClickHouse engine behind a proxy. The flushers of a testbed write to it until `detach`. */
export class AttachedEventStore {
  private constructor(
    private readonly testbed: Testbed,
    private readonly engine: ClickHouse,
    readonly proxy: TcpProxy,
  ) {}

  /** Downloads the engine on the first call. */
  static missingRequirement(): string | undefined {
    try {
      clickhouseEngine();
      return undefined;
    } catch (error) {
      return `no ClickHouse engine (${String(error).split('\n')[0]})`;
    }
  }

  /** Restarts the flushers with a store that refuses connections until `comeUp`. */
  static async attachTo(testbed: Testbed): Promise<AttachedEventStore> {
    const store = new AttachedEventStore(
      testbed,
      new ClickHouse(clickhouseEngine()),
      await TcpProxy.before(CLOSED_PORT),
    );
    await store.proxy.goDown();
    await store.restartFlushers(store.settings);
    return store;
  }

  /** The settings of flushers that a scenario restarts. */
  get settings(): Readonly<Record<string, string>> {
    return { EVENT_STORE_URL: this.proxy.through('http://clickhouse/events') };
  }

  async comeUp(): Promise<void> {
    await this.engine.start();
    this.proxy.leadTo(new URL(this.engine.url));
    await this.proxy.comeUp();
  }

  /** kill -9 */
  async goDown(): Promise<void> {
    await this.engine.stop();
    await this.proxy.goDown();
  }

  /** The number of rows, including those that a merge will remove. */
  async rows(): Promise<number> {
    return countOf(await this.engine.query<Count>('select count() as count from mailbeacon_events').catch(() => []));
  }

  /** The number of distinct events. */
  async events(): Promise<number> {
    const query = 'select uniqExact(id) as count from mailbeacon_events';
    return countOf(await this.engine.query<Count>(query).catch(() => []));
  }

  /** Resolves with the violations of L8, as soon as there are none, or when time is up. */
  async findViolations(withinMs: number): Promise<string[]> {
    let violations: string[] = [];
    const isComplete = async () => {
      violations = await this.compare().catch((error: unknown) => [`L8: the store does not respond: ${String(error)}`]);
      return violations.length === 0;
    };
    await eventually(isComplete, withinMs).catch(() => undefined);
    return violations;
  }

  /** Restarts the flushers without the store, and removes it once Postgres holds no state of it. */
  async detach(): Promise<void> {
    await this.restartFlushers({});
    await eventually(async () => (await this.testbed.database.query('select from event_store')).length === 0, POLL_MS);
    await this.proxy.goDown();
    await this.engine.remove();
  }

  /** Merges the table before it counts the rows. */
  private async compare(): Promise<string[]> {
    const postgres = await this.testbed.database.query<ComparedEvent>(EVENTS_IN_POSTGRES);
    const events = await this.engine.query<ComparedEvent>(EVENTS_IN_STORE);
    const violations = [...eventStoreMatchesPostgres(postgres, { events, rows: events.length })];
    if (violations.length > 0) return violations;
    await this.engine.query('optimize table mailbeacon_events final');
    return [...eventStoreMatchesPostgres(postgres, { events, rows: await this.rows() })];
  }

  private async restartFlushers(settings: Readonly<Record<string, string>>): Promise<void> {
    await Promise.all(
      this.testbed.flushers.map(async (flusher) => {
        await flusher.terminate();
        await flusher.start(settings);
      }),
    );
  }
}

function countOf([row]: readonly Count[]): number {
  return Number(row?.count ?? 0);
}
