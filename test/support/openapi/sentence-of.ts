import type { ErrorObject } from 'ajv/dist/2020.js';

/** Longer values of a body are cut in messages. */
const SHOWN = 100;

/** Says in which place and how a body differs from its schema. */
export function sentenceOf({ instancePath, keyword, params, message }: ErrorObject, body: unknown): string {
  const place = instancePath || 'the whole body';
  const { additionalProperty, missingProperty, allowedValues } = params as Record<string, unknown>;
  if (additionalProperty !== undefined) return `${place} has the undocumented field ${String(additionalProperty)}`;
  if (missingProperty !== undefined) return `${place} lacks the required field ${String(missingProperty)}`;
  const rule = keyword === 'enum' ? `must be one of ${(allowedValues as unknown[]).join(', ')}` : message;
  return `${place} ${rule}, but is ${JSON.stringify(valueAt(body, instancePath)).slice(0, SHOWN)}`;
}

/** @param pointer a JSON pointer (RFC 6901) */
function valueAt(body: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce<unknown>(
    (value, name) => (value as Record<string, unknown>)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    body,
  );
}
