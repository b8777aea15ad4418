import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { BackgroundLoop } from '../../platform/clock/background-loop.js';
import { Database } from '../../platform/database/database.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { WARNED_FROM, type BudgetLine } from './budget.js';
import { BudgetShares, type GrantedShare } from './budget-shares.js';
import { BudgetWarnings } from './budget-warnings.js';
import { LocalShare } from './local-share.js';

/** A share that was not used for this long is returned, so that other processes can spend it. */
const IDLE_MS = 2_000;
const ROUND_MS = 1_000;
/** While it holds no share: the next one wakes it. */
const NOTHING_HELD_MS = 3_600_000;

interface Account {
  line: BudgetLine;
  readonly share: LocalShare;
}

/** The shares that this process holds. Most requests for units cost no statement. */
@Injectable()
export class BudgetLedger implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly accounts = new Map<string, Account>();
  /** Statements in progress that return units, with the lines that they return. */
  private readonly returns = new Map<Promise<void>, readonly BudgetLine[]>();
  private readonly loop = new BackgroundLoop(async () => {
    await this.giveBack(IDLE_MS);
    return this.accounts.size > 0 ? ROUND_MS : NOTHING_HELD_MS;
  });

  constructor(
    private readonly shares: BudgetShares,
    private readonly warnings: BudgetWarnings,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    await this.giveBack(0);
  }

  /** @returns false when the budget does not have that many units left */
  take(line: BudgetLine, units: number): Promise<boolean> {
    return this.accountOf(line).share.take(line, units, (needed) => this.ask(line, needed));
  }

  /** Spends units without checking whether they are left; a negative number returns units. */
  charge(line: BudgetLine, units: number): void {
    this.accountOf(line).share.charge(units);
  }

  /**
   * Returns unused units, and resolves when Postgres has those that other calls are returning, too. If Postgres does
   * not accept them now, they are returned later.
   * @param organizationId only of this organization
   */
  async giveBack(idleMs: number, organizationId?: string): Promise<void> {
    const isMeant = (line: BudgetLine) => organizationId === undefined || line.organizationId === organizationId;
    const unused = new Map<BudgetLine, number>();
    for (const [key, { line, share }] of this.accounts) {
      if (!isMeant(line)) continue;
      const units = share.settle(idleMs);
      if (units !== 0) unused.set(line, units);
      else if (share.isIdle) this.accounts.delete(key);
    }
    if (unused.size > 0) {
      const done = this.store(unused).finally(() => this.returns.delete(done));
      this.returns.set(done, [...unused.keys()]);
    }
    const meant = [...this.returns].filter(([, lines]) => lines.some(isMeant));
    await Promise.all(meant.map(([done]) => done));
  }

  private async store(unused: ReadonlyMap<BudgetLine, number>): Promise<void> {
    try {
      await this.shares.giveBack(unused);
    } catch (error) {
      for (const [line, units] of unused) this.charge(line, -units);
      this.logger.warn({ err: error }, 'Unused shares of budgets could not be returned; retrying');
    }
  }

  private accountOf(line: BudgetLine): Account {
    const key = `${line.organizationId} ${line.budget} ${line.period}`;
    const known = this.accounts.get(key);
    if (known) {
      known.line = line;
      return known;
    }
    const account = { line, share: new LocalShare() };
    if (this.accounts.size === 0) this.loop.wake();
    this.accounts.set(key, account);
    return account;
  }

  private async ask(line: BudgetLine, needed: number): Promise<GrantedShare> {
    const granted = await this.shares.take(line, needed);
    if (!granted) return { share: needed, left: null, warned: true };
    if (!granted.warned && isMostUsed(line, granted)) await this.warn(line);
    return granted;
  }

  /** A warning that fails is repeated with the next share. */
  private async warn(line: BudgetLine): Promise<void> {
    try {
      await this.warnings.warn(this.database, line);
    } catch (error) {
      this.logger.warn({ err: error }, 'A warning about a budget could not be stored');
    }
  }
}

function isMostUsed({ limit }: BudgetLine, { left }: GrantedShare): boolean {
  return limit !== undefined && left !== null && left <= limit * (1 - WARNED_FROM);
}
