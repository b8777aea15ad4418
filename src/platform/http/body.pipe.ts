import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { DomainError, type FieldProblem } from '../errors/domain-error.js';
import { InvalidBodyError } from './invalid-body-error.js';
import { isJsonObject } from './json-object.js';

/** A body with invalid fields. The error names all of them. */
class InvalidFieldsError extends DomainError {
  constructor(problems: FieldProblem[]) {
    super('invalid', problems.map((problem) => problem.message).join('; '), problems);
  }
}

/**
 * Validates a body against its request class. Copies only the fields that the class declares, one level deep. Unknown
 * keys are ignored, and keys such as `constructor` or deep nesting are harmless. A null field counts as absent, unless
 * it is marked with `KeepsNull`.
 */
@Injectable()
export class BodyPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' || !metatype) return value;
    return readBodyFields(value, metatype as Type<object>);
  }
}

const KEEPS_NULL = Symbol('keeps-null');

/** For fields that a change removes with null and leaves as they are if it has none. */
export function KeepsNull(): PropertyDecorator {
  return (target, property) => Reflect.defineMetadata(KEEPS_NULL, true, target, property);
}

/** The declared fields of a body. @throws InvalidBodyError, and as `readFields` */
export function readBodyFields<Request extends object>(body: unknown, requestClass: Type<Request>): Request {
  if (!isJsonObject(body)) throw new InvalidBodyError('The body must be a JSON object');
  return readFields(body, requestClass);
}

/** The declared fields of `value`. @throws DomainError that names every invalid one */
export function readFields<Request extends object>(value: object, requestClass: Type<Request>): Request {
  const request = copyKnownFields(value, requestClass);
  const errors = validateSync(request, { stopAtFirstError: true, forbidUnknownValues: true });
  if (errors.length > 0) throw new InvalidFieldsError(errors.flatMap(problemsOf));
  return request;
}

/** The declared fields of `value`, whether or not they are valid. */
export function copyKnownFields<Request extends object>(value: object, requestClass: Type<Request>): Request {
  const request = new requestClass();
  for (const { name, keepsNull } of fieldsOf(requestClass)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, name);
    if (!descriptor || (descriptor.value === null && !keepsNull)) continue;
    Object.assign(request, { [name]: descriptor.value });
  }
  return request;
}

interface DeclaredField {
  readonly name: string;
  readonly keepsNull: boolean;
}

const declaredFields = new WeakMap<Type<object>, readonly DeclaredField[]>();

/** Read once for each class: a batch has hundreds of objects of one class. */
function fieldsOf(requestClass: Type<object>): readonly DeclaredField[] {
  const known = declaredFields.get(requestClass);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(requestClass, '', false, false);
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  const fields = names.map((name) => ({ name, keepsNull: keepsNull(requestClass, name) }));
  declaredFields.set(requestClass, fields);
  return fields;
}

function keepsNull(requestClass: Type<object>, field: string): boolean {
  return Reflect.hasMetadata(KEEPS_NULL, requestClass.prototype as object, field);
}

function problemsOf({ property, constraints = {} }: ValidationError): FieldProblem[] {
  return Object.values(constraints).map((message) => ({ field: property, message }));
}
