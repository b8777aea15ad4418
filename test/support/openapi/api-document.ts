import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { STREAMED, type ReceivedResponse } from './received-response.js';
import { sentenceOf } from './sentence-of.js';

export type Json = Record<string, unknown>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: { examples: unknown[] };
}

interface Content {
  readonly content?: Readonly<Record<string, { schema: object } | undefined>>;
}

export interface Operation {
  /** As in `GET /api/campaigns/{id}`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: unknown;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Record<string, Content & { description: string; headers: Record<string, { schema: object }> }>;
}

/** The document at `/openapi.json`, with validators of its schemas. */
export class ApiDocument {
  private readonly ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    allErrors: true,
    formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
  });

  private readonly validators = new WeakMap<object, ValidateFunction>();
  /** Operations share many schemas. Each distinct schema is compiled once. */
  private readonly validatorsByText = new Map<string, ValidateFunction>();

  private readonly byName: ReadonlyMap<string, Operation>;
  private readonly all: readonly Operation[];

  constructor(readonly json: Json) {
    this.all = operationsOf(json);
    this.byName = new Map(this.all.map((operation) => [operation.name, operation]));
    // Clients must accept new fields, but an undocumented field in a test means that the document is out of date.
    this.ajv.addSchema({ $id: 'api', components: closed(json.components) });
    this.ajv.addKeyword('components');
  }

  static async of(service: { readonly address: string }): Promise<ApiDocument> {
    const response = await fetch(`${service.address}/openapi.json`);
    return new ApiDocument((await response.json()) as Json);
  }

  /** Operations that require an API key. */
  get operations(): Operation[] {
    return this.all.filter(({ security }) => security === undefined);
  }

  /** Operations whose callers authenticate in another way. */
  get keylessOperations(): Operation[] {
    return this.all.filter(
      ({ security, tags }) => Array.isArray(security) && security.length === 0 && !tags.includes('Tracking'),
    );
  }

  /** Operations that require a signed-in user. */
  get sessionOperations(): Operation[] {
    return this.securedBy('session');
  }

  /** Operations that take an API key as a bearer token. */
  get bearerOperations(): Operation[] {
    return this.securedBy('bearer');
  }

  /** Operations for recipients, which the tracking edge serves. */
  get trackingOperations(): Operation[] {
    return this.all.filter(({ tags }) => tags.includes('Tracking'));
  }

  private securedBy(scheme: string): Operation[] {
    return this.all.filter(({ security }) => Array.isArray(security) && scheme in ((security[0] as object) ?? {}));
  }

  /** @param name as in `GET /api/campaigns/{id}` */
  operation(name: string): Operation {
    const found = this.find(name);
    if (!found) throw new Error(`${name} is not documented`);
    return found;
  }

  find(name: string): Operation | undefined {
    return this.byName.get(name);
  }

  /** Returns how a response differs from its documentation: in its status, its media type or its body. */
  problemsOf({ name, responses }: Operation, response: ReceivedResponse): string[] {
    const documented = responses[response.status];
    const problems = documented
      ? this.problemsOfBody(documented, response)
      : [`the status is not documented, only ${Object.keys(responses).join(', ')}`];
    return problems.map((problem) => `${name} responded ${response.status}: ${problem}`);
  }

  private problemsOfBody({ content = {} }: Content, { headers, body }: ReceivedResponse): string[] {
    const documented = Object.keys(content).join(' or ') || 'no body';
    const received = body === undefined ? 'no body' : (headers.get('content-type')?.split(';')[0] ?? 'no media type');
    const schema = content[received]?.schema;
    if (!schema) return received === documented ? [] : [`it has ${received}, but ${documented} is documented`];
    const validate = this.validator(schema);
    return body === STREAMED || validate(body) ? [] : validate.errors!.map((error) => sentenceOf(error, body));
  }

  /** The documented example of the request body. */
  exampleBody({ requestBody }: Operation): Json | undefined {
    const schema = requestBody?.content?.['application/json']?.schema;
    return schema && (this.resolve(schema).examples as Json[])[0];
  }

  /** The documented example of the request body, serialized with its content type. */
  exampleContent({ requestBody }: Operation): { type: string; text: string } | undefined {
    const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
    if (type === undefined || !content) return undefined;
    const [example] = this.resolve(content.schema).examples as [unknown];
    return { type, text: typeof example === 'string' ? example : JSON.stringify(example) };
  }

  /** Compiles a schema of the document, including its references. */
  validator(schema: object): ValidateFunction {
    const known = this.validators.get(schema);
    if (known) return known;
    const text = withAbsoluteReferences(closed(schema));
    const validate = this.validatorsByText.get(text) ?? this.ajv.compile(JSON.parse(text) as object);
    this.validators.set(schema, validate);
    this.validatorsByText.set(text, validate);
    return validate;
  }

  /** Returns the schema that a reference points to. */
  resolve(schema: object): Json {
    const { $ref } = schema as { $ref?: string };
    if (!$ref) return schema as Json;
    const { schemas } = this.json.components as { schemas: Record<string, Json> };
    return schemas[$ref.slice($ref.lastIndexOf('/') + 1)]!;
  }
}

function operationsOf({ paths }: Json): Operation[] {
  return Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]) => {
      const method = verb.toUpperCase();
      return { ...operation, parameters: operation.parameters ?? [], name: `${method} ${path}`, method, path };
    }),
  );
}

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, closed(entry)]));
  const listsProperties = [copy.type].flat().includes('object') && copy.properties !== undefined;
  return listsProperties ? { additionalProperties: false, ...copy } : copy;
}

function withAbsoluteReferences(schema: unknown): string {
  return JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
}
