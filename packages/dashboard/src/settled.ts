import { useEffect, useState } from 'preact/hooks';

const WAIT_MS = 400;

/** Ends once a value that was just given would be settled. */
export function settling(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, WAIT_MS));
}

/** The value, once it has not changed for a moment. */
export function useSettled<Value extends string | number>(value: Value): Value {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), WAIT_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
