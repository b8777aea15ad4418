import { Column } from 'typeorm';

/** Adds a counter column per name to an entity: a number that starts at 0, or null for none. */
export function CounterColumns(names: readonly string[], { nullable = false } = {}): ClassDecorator {
  const options = nullable ? { nullable } : { default: 0 };
  return ({ prototype }) => {
    for (const name of names) Column({ type: 'bigint', ...options })(prototype as object, name);
  };
}
