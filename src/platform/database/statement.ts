import type { QueryResultRow } from 'pg';
import type { Sql } from './database.js';

/** The Postgres types of parameters, and the values that the driver accepts for each. */
interface ValueTypes {
  boolean: boolean;
  smallint: number;
  integer: number;
  /** As text, because it may exceed the range of a number. */
  bigint: string;
  float8: number;
  text: string;
  uuid: string;
  bytea: Buffer;
  timestamptz: Date;
  json: string;
  jsonb: string;
  'integer[]': readonly number[];
  'bigint[]': readonly string[];
  'text[]': readonly string[];
  'uuid[]': readonly string[];
  'boolean[]': readonly boolean[];
  'bytea[]': readonly Buffer[];
  'timestamptz[]': readonly Date[];
}

/** A type with a question mark allows null. */
type ParameterType = keyof ValueTypes | `${keyof ValueTypes}?`;

type ValueOf<Type> = Type extends `${infer Name extends keyof ValueTypes}?`
  ? ValueTypes[Name] | null
  : Type extends keyof ValueTypes
    ? ValueTypes[Type]
    : never;

/** The values of parameters, by name. */
export type ParameterValues<Parameters> = { readonly [Name in keyof Parameters]: ValueOf<Parameters[Name]> };

/** The values that a statement needs, by name. */
export type StatementValues<Of> = Of extends Statement<infer Parameters> ? ParameterValues<Parameters> : never;

const COMMENT = /^[ \t]*--.*\n/gm;
/** Not preceded by a colon, because `::` is a cast. */
const PLACEHOLDER = /(?<!:):([a-z][A-Za-z]*)/g;

/**
 * A prepared statement whose parameters have names: `:emailId` in its SQL, declared with their types. It is compiled
 * once, when its module loads, to numbered parameters with casts. Lines that are comments are not sent to Postgres.
 */
export class Statement<const Parameters extends Readonly<Record<string, ParameterType>>> {
  /** The SQL that is sent to Postgres. */
  readonly text: string;
  private readonly names: readonly (keyof Parameters & string)[];

  /**
   * @param name the name under which each connection prepares it
   * @throws Error when the SQL uses a parameter that is not declared, or does not use one that is
   */
  constructor(
    readonly name: string,
    parameters: Parameters,
    sql: string,
  ) {
    this.names = Object.keys(parameters);
    const unused = new Set<string>(this.names);
    this.text = sql.replaceAll(COMMENT, '').replaceAll(PLACEHOLDER, (_, parameter: string) => {
      const type = parameters[parameter];
      if (type === undefined) throw new Error(`Statement ${name} does not declare its parameter :${parameter}`);
      unused.delete(parameter);
      return `$${this.names.indexOf(parameter) + 1}::${type.replace('?', '')}`;
    });
    if (unused.size > 0) throw new Error(`Statement ${name} does not use :${[...unused].join(', :')}`);
  }

  run<Row extends QueryResultRow>(sql: Sql, values: ParameterValues<Parameters>): Promise<Row[]> {
    return sql.prepared<Row>(this.name, this.text, this.inOrder(values));
  }

  /** The values in the order of the numbers in `text`. */
  inOrder(values: ParameterValues<Parameters>): unknown[] {
    return this.names.map((name) => values[name]);
  }
}
