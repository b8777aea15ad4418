import { Column } from 'typeorm';

/** Gives an entity a counter for each name: a number that begins with 0, or null for none. */
export function CounterColumns(names: readonly string[], { nullable = false } = {}): ClassDecorator {
  const options = nullable ? { nullable } : { default: 0 };
  return ({ prototype }) => {
    for (const name of names) Column({ type: 'bigint', ...options })(prototype as object, name);
  };
}
