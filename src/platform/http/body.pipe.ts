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
 * keys are ignored, and keys such as `constructor` or deep nesting are harmless. A null field counts as absent, unless it
 * is marked with `KeepsNull`.
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
  for (const { propertyName } of getMetadataStorage().getTargetValidationMetadatas(requestClass, '', false, false)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, propertyName);
    if (!descriptor || (descriptor.value === null && !keepsNull(requestClass, propertyName))) continue;
    Object.assign(request, { [propertyName]: descriptor.value });
  }
  return request;
}

function keepsNull(requestClass: Type<object>, field: string): boolean {
  return Reflect.hasMetadata(KEEPS_NULL, requestClass.prototype as object, field);
}

function problemsOf({ property, constraints = {} }: ValidationError): FieldProblem[] {
  return Object.values(constraints).map((message) => ({ field: property, message }));
}
