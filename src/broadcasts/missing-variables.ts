import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { MONOTONIC_CLOCK, type Clock } from '../platform/clock/clock.js';
import { Database } from '../platform/database/database.js';
import type { VariablePath } from '../rendering/liquid/unguarded-variables.js';
import { isSuppressed } from '../suppressions/suppression-check.sql.js';
import { MessageRendering } from '../templates/message-rendering.js';
import { BroadcastContent } from './broadcast-content.js';

/** What recipients without an email lack. */
export interface MissingVariablesView {
  /** How many were checked: the first ones by address. Those that are suppressed do not count. */
  readonly recipients: number;
  /** How many more were checked, and have been suppressed since they were added. */
  readonly suppressed: number;
  /** The variables that some of them lack, most missed first. */
  readonly variables: readonly MissingVariable[];
}

export interface MissingVariable {
  /** As a template writes it: `city`, or `person.city` for a part of its value. */
  readonly name: string;
  readonly recipients: number;
}

export const MAX_COUNTED_RECIPIENTS = 100_000;
/** Every recipient is checked for every variable. */
const MAX_VARIABLES = 100;
/** Values per statement, which takes about two seconds if all recipients have as long variables as they can. */
const PAGE_VALUES = 200_000;
const LONGEST_PAGE = 20_000;
/** No further page is read after this time. */
export const MAX_MS = 2_000;

/**
 * $1 broadcast, $2 organization, $3 the address before the page, then the paths: each is a column, so that the page is
 * read once. In an email, an empty text looks as if there were no value.
 */
function countOf(paths: readonly VariablePath[]): string {
  const columns = paths.map(
    (_, at) =>
      `count(*) filter (where not is_suppressed and coalesce(variables #>> $${at + 4}::text[], '') = '')::integer`,
  );
  const page = Math.min(LONGEST_PAGE, Math.ceil(PAGE_VALUES / Math.max(1, paths.length)));
  return `
select count(*) filter (where not is_suppressed)::integer as recipients,
       count(*) filter (where is_suppressed)::integer as suppressed,
       max(address_key) as last, array[${columns.join()}]::integer[] as missing
  from (select r.address_key, r.variables, ${isSuppressed('$2::uuid', 'r.address_key')} as is_suppressed
          from broadcast_recipients r
         where r.broadcast_id = $1 and r.place is not null and r.address_key > $3
         order by r.address_key limit ${page}) page`;
}

/** Includes non-ASCII characters, which Liquid allows in names. */
const WORD = /^[\w\u0080-\uffff-]+$/;

interface CountedPage {
  readonly recipients: number;
  readonly suppressed: number;
  readonly last: string | null;
  /** How many lack each of the variables, in their order. */
  readonly missing: readonly number[];
}

/** Finds the recipients for whom a broadcast has gaps. */
@Injectable()
export class MissingVariables {
  constructor(
    private readonly database: Database,
    private readonly content: BroadcastContent,
    private readonly rendering: MessageRendering,
    @Inject(MONOTONIC_CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws BroadcastNotFoundError, InvalidFieldError, TooManyRenderingsError */
  async find(caller: Caller, id: string): Promise<MissingVariablesView> {
    const { subject, htmlContent: html, textContent: text } = await this.content.message(caller.organizationId, id);
    const paths = await this.rendering.unguardedVariables(caller, { subject, html, text });
    return this.count(caller, id, paths.slice(0, MAX_VARIABLES));
  }

  private async count(caller: Caller, id: string, paths: readonly VariablePath[]): Promise<MissingVariablesView> {
    const end = this.clock.now() + MAX_MS;
    const sql = countOf(paths);
    const counts = paths.map((path) => ({ name: nameOf(path), recipients: 0 }));
    let [recipients, suppressed] = [0, 0];
    let after: string | null = '';
    while (after !== null && recipients + suppressed < MAX_COUNTED_RECIPIENTS && this.clock.now() < end) {
      const page: CountedPage = await this.countPage(caller, sql, [id, caller.organizationId, after, ...paths]);
      recipients += page.recipients;
      suppressed += page.suppressed;
      for (const [at, missing] of page.missing.entries()) counts[at]!.recipients += missing;
      after = page.last;
    }
    const variables = counts.filter((count) => count.recipients > 0);
    return { recipients, suppressed, variables: variables.sort((one, other) => other.recipients - one.recipients) };
  }

  private async countPage({ organizationId }: Caller, sql: string, values: readonly unknown[]): Promise<CountedPage> {
    const [page] = await this.database.inReadTurn(organizationId, () =>
      this.database.query<CountedPage & Record<string, unknown>>(sql, values),
    );
    return page!;
  }
}

/** As a template writes it. A name alone is written as in the variables of a recipient. */
function nameOf([name, ...rest]: VariablePath): string {
  return name! + rest.map((part) => (WORD.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`)).join('');
}
