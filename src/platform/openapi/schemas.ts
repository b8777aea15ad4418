import type { SchemaObject } from '@nestjs/swagger';

/** A JSON Schema (2020-12, the dialect of OpenAPI 3.1) with a description and an example. */
export type Described = SchemaObject & { readonly description: string; readonly examples: readonly unknown[] };

/** A field that an object may omit. */
export interface OptionalField {
  readonly optional: Described;
}

/** Describes every field of `Shape`. The compiler rejects missing and removed fields and wrong optionality. */
export type FieldsOf<Shape> = {
  readonly [Name in keyof Shape]-?: Shape extends Record<Name, Shape[Name]> ? Described : OptionalField;
};

/** Additional JSON Schema keywords, such as `maxLength`. */
type Rules = Omit<SchemaObject, 'type' | 'description' | 'examples'>;

export function string(description: string, example: string, rules: Rules = {}): Described {
  return { type: 'string', description, examples: [example], ...rules };
}

export function integer(description: string, example: number, rules: Rules = {}): Described {
  return { type: 'integer', minimum: 0, description, examples: [example], ...rules };
}

export function decimal(description: string, example: number): Described {
  return { type: 'number', minimum: 0, description, examples: [example] };
}

export function boolean(description: string, example: boolean): Described {
  return { type: 'boolean', description, examples: [example] };
}

/** ISO 8601 in UTC with milliseconds, the format of every time in a response. */
export function dateTime(description: string, example = '2026-03-01T09:30:00.000Z'): Described {
  return string(description, example, { format: 'date-time' });
}

export function enumOf(values: readonly string[], description: string, example: string): Described {
  return string(description, example, { enum: [...values] });
}

/** A JSON object with arbitrary keys that the client chooses. */
export function freeObject(description: string, example: object): Described {
  return { type: 'object', additionalProperties: true, description, examples: [example] };
}

export function list(items: Described, description: string, rules: Rules = {}): Described {
  return { type: 'array', items, description, examples: [[exampleOf(items)]], ...rules };
}

/** A string or an array of strings. */
export function textOrList(description: string, example: string[]): Described {
  const entry = { type: 'string', description: 'An email address', examples: example.slice(0, 1) };
  return { anyOf: [entry, { type: 'array', items: entry, minItems: 1 }], description, examples: [example] };
}

export function nullable(schema: Described): Described {
  return { ...schema, type: [schema.type ?? 'string', 'null'].flat() };
}

export function optional(schema: Described): OptionalField {
  return { optional: schema };
}

/** @param title name of the schema in the document; schemas with the same title must be identical */
export function object<Shape>(title: string, description: string, fields: FieldsOf<Shape>): Described {
  const entries = Object.entries<Described | OptionalField>(fields);
  const properties = Object.fromEntries(entries.map(([name, field]) => [name, schemaOf(field)]));
  const required = entries.filter(([, field]) => !('optional' in field)).map(([name]) => name);
  const example = Object.fromEntries(entries.map(([name, field]) => [name, exampleOf(schemaOf(field))]));
  return {
    type: 'object',
    title,
    description,
    properties,
    ...(required.length > 0 && { required }),
    examples: [example],
  };
}

export function exampleOf(schema: Described): unknown {
  return schema.examples[0];
}

function schemaOf(field: Described | OptionalField): Described {
  return 'optional' in field ? (field.optional as Described) : field;
}
