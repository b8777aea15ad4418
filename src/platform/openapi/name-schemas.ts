import type { OpenAPIObject, SchemaObject } from '@nestjs/swagger';

/** Moves every titled object schema to `components/schemas`, so that generated clients have named types. */
export function nameSchemas(document: OpenAPIObject): OpenAPIObject {
  const schemas: Record<string, SchemaObject> = {};
  const paths = named(document.paths, schemas) as OpenAPIObject['paths'];
  return { ...document, paths, components: { ...document.components, schemas } };
}

function named(value: unknown, schemas: Record<string, SchemaObject>): unknown {
  if (Array.isArray(value)) return value.map((entry) => named(entry, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, named(entry, schemas)]));
  const { title } = copy;
  if (typeof title !== 'string' || copy.type !== 'object' || copy.properties === undefined) return copy;
  schemas[title] = copy;
  return { $ref: `#/components/schemas/${title}` };
}
