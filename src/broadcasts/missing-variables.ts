import { Injectable } from '@nestjs/common';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { Database } from '../platform/database/database.js';
import { MessageRendering } from '../templates/message-rendering.js';
import { BroadcastContent } from './broadcast-content.js';

/** What recipients without an email lack. */
export interface MissingVariablesView {
  /** How many were looked at: the first ones by address. Those that are suppressed do not count. */
  readonly recipients: number;
  /** The variables that some of them lack, most missed first. */
  readonly variables: readonly MissingVariable[];
}

export interface MissingVariable {
  readonly name: string;
  readonly recipients: number;
}

/** The variables of a recipient have up to 10 KB, and every one of them is read. */
export const MAX_RECIPIENTS = 100_000;
/** Every recipient is checked for every name. */
const MAX_NAMES = 100;

/** $1 broadcast, $2 names, $3 recipients. In an email, an empty text looks as if the variable were unknown. */
const COUNT = `
with looked_at as materialized (
  select variables from broadcast_recipients where broadcast_id = $1 and place is not null order by address_key limit $3
)
select (select count(*) from looked_at)::integer as recipients,
       coalesce(json_agg(json_build_object('name', name, 'recipients', missing) order by missing desc, name)
         filter (where missing > 0), '[]') as variables
  from (select n.name, count(*) filter (where coalesce(r.variables ->> n.name, '') = '') as missing
          from looked_at r cross join unnest($2::text[]) n (name) group by n.name) counted`;

/** Finds the recipients for whom a broadcast has gaps. */
@Injectable()
export class MissingVariables {
  constructor(
    private readonly database: Database,
    private readonly content: BroadcastContent,
    private readonly rendering: MessageRendering,
  ) {}

  /** @throws BroadcastNotFoundError, InvalidFieldError, TooManyRenderingsError */
  async find(caller: Caller, id: string): Promise<MissingVariablesView> {
    const { organizationId } = caller;
    const { subject, htmlContent: html, textContent: text } = await this.content.message(organizationId, id);
    const names = await this.rendering.unguardedVariables(caller, { subject, html, text });
    const [found] = await this.database.inReadTurn(organizationId, () =>
      this.database.query<MissingVariablesView & Record<string, unknown>>(COUNT, [
        id,
        names.slice(0, MAX_NAMES),
        MAX_RECIPIENTS,
      ]),
    );
    return found!;
  }
}
