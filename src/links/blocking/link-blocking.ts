import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { BackgroundLoop } from '../../platform/clock/background-loop.js';
import { MONOTONIC_CLOCK, type Clock } from '../../platform/clock/clock.js';
import { CopyRefresh } from '../../platform/database/copy-refresh.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { carriedTagOf } from '../organization-tag.js';
import { SigningKeyRing } from '../signing-key-ring.js';
import { readDenyList } from './blocked-links.js';
import { BlockingMetrics } from './blocking-metrics.js';
import type { BlockKind } from './block-kinds.js';
import { DenyList } from './deny-list.js';
import { EmailOwners } from './email-owners.js';

/** A change is effective everywhere within 5 seconds. */
const REFRESH_MS = 2_000;
const LOGGED_EVERY_MS = 60_000;

/** The deny list of this process. Refreshed from Postgres; while Postgres is down, the last known list stays in use. */
@Injectable()
export class LinkBlocking implements OnModuleInit, OnApplicationShutdown {
  private list = new DenyList({});
  private known: string | undefined;
  private logged = { at: 0, clicks: 0 };
  private readonly owners: EmailOwners;
  private readonly refresh: CopyRefresh;
  private readonly loop = new BackgroundLoop(() => this.round());

  constructor(
    private readonly database: Database,
    private readonly keys: SigningKeyRing,
    private readonly metrics: BlockingMetrics,
    @Inject(MONOTONIC_CLOCK) clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.owners = new EmailOwners(database, clock);
    this.refresh = new CopyRefresh(() => this.read(), logger, {
      failed: 'The deny list for links could not be refreshed; keeping the last known one',
      recovered: 'The deny list for links is up to date again',
    });
  }

  /** Usually true; then a hit needs no check. */
  get isEmpty(): boolean {
    return this.list.isEmpty;
  }

  /**
   * Returns why this link must not redirect; undefined if it may. Needs no query unless an organization is blocked and
   * the email's tracking ID may come from an earlier release; if Postgres is down then, the link redirects.
   * @param url the destination as the browser receives it
   */
  check(emailTrackingId: string, url: string): BlockKind | undefined | Promise<BlockKind | undefined> {
    const kind = this.list.kindOfLink(emailTrackingId, url);
    if (kind !== undefined || !this.list.hasOrganizations) return this.counted(kind);
    const carried = carriedTagOf(this.keys.current, emailTrackingId);
    if (carried === undefined) return undefined;
    const byTag = this.list.kindOfTag(this.keys.current, carried);
    if (byTag !== undefined || this.owners.knows(carried)) return this.counted(byTag);
    return this.owners
      .find(this.keys.current, emailTrackingId, carried)
      .then((organizationId) => this.counted(this.kindOfOwner(organizationId)));
  }

  /** Whether an email belongs to a deleted organization, by the tag in its tracking ID; needs no query. */
  isDeleted(emailTrackingId: string): boolean {
    const carried = this.list.hasOrganizations ? carriedTagOf(this.keys.current, emailTrackingId) : undefined;
    return carried !== undefined && this.list.kindOfTag(this.keys.current, carried) === 'deleted';
  }

  /** @throws when Postgres does not respond: without the list, the process would redirect blocked links. */
  async onModuleInit(): Promise<void> {
    await this.read();
    this.loop.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.loop.stop();
  }

  private kindOfOwner(organizationId: string | null | undefined): BlockKind | undefined {
    if (organizationId === undefined) return undefined;
    if (organizationId === null) return this.list.hasDeleted ? 'deleted' : undefined;
    return this.list.kindOfOrganization(organizationId);
  }

  private counted(kind: BlockKind | undefined): BlockKind | undefined {
    if (kind !== undefined) this.metrics.count(kind);
    return kind;
  }

  private async round(): Promise<number> {
    await this.refresh.run();
    this.logClicks();
    return REFRESH_MS;
  }

  private async read(): Promise<void> {
    const { blocks, text } = await readDenyList(this.database);
    if (text === this.known) return;
    this.list = new DenyList(blocks);
    this.owners.forgetEmails();
    this.metrics.show(this.list.sizes);
    if (this.known !== undefined || !this.list.isEmpty)
      this.logger.info(this.list.sizes, 'The deny list for links changed');
    this.known = text;
  }

  private logClicks(): void {
    const { total } = this.metrics;
    const now = performance.now();
    if (total === this.logged.clicks || now < this.logged.at + LOGGED_EVERY_MS) return;
    this.logger.info({ clicks: total - this.logged.clicks }, 'Clicks on blocked links were refused');
    this.logged = { at: now, clicks: total };
  }
}
