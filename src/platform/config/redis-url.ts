import { url, type Variable } from './setting-types.js';

/** The URL of a Redis server, whose path is empty or the number of a database. */
export function redisUrl(
  about: Parameters<typeof url>[1] & { optional: true; example: string },
): Variable<string | undefined> {
  const address = url(['redis:', 'rediss:'], about);
  return {
    ...address,
    expectation: `${address.expectation} and ends with a host or the number of a database`,
    read: (text) => {
      const value = address.read(text);
      return value !== undefined && isReadable(value) ? value : undefined;
    },
  };
}

/** The client decodes user and password, and would take any other path for database 0. */
function isReadable(value: string): boolean {
  const { username, password, pathname } = new URL(value);
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return /^(\/\d{0,9})?$/.test(pathname);
}
