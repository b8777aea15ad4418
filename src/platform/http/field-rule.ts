import { registerDecorator } from 'class-validator';

/** A rule for a field of a request class. @param message may have `$property` for the name of the field */
export function fieldRule(name: string, message: string, validate: (value: unknown) => boolean): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: property as string,
      options: { message },
      validator: { validate },
    });
}
