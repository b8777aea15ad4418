import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from '../../src/platform/database/database.js';
import type { RedisConnection } from '../../src/platform/redis/connect.js';

interface Column extends Record<string, unknown> {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

/** Every column of every table, read from the schema, so that new tables are searched too. */
const COLUMNS = `
select table_name as "table", column_name as "column", data_type as type from information_schema.columns
 where table_schema = current_schema() order by table_name, ordinal_position`;

/**
 * Returns the columns that contain one of the texts, ignoring case, as `table.column`. Bytes match as text and as hex.
 */
export async function findInTables(sql: Sql, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const { table, column, type } of await sql.query<Column>(COLUMNS)) {
    const value = type === 'bytea' ? `encode("${column}", 'escape') || "${column}"::text` : `"${column}"::text`;
    const rows = await sql.query(
      `select from "${table}" where exists (
         select from unnest($1::text[]) as needle where strpos(lower(${value}), lower(needle)) > 0) limit 1`,
      [texts],
    );
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found;
}

/** Returns the keys whose name or value contains one of the texts. */
export async function findInRedis(redis: RedisConnection, texts: readonly string[]): Promise<string[]> {
  const keys = await redis.keys('*');
  const values = await Promise.all(keys.map(async (key) => [key, await contentOf(redis, key)].join('\n')));
  return keys.filter((_, at) => hasOne(values[at]!, texts));
}

/** Returns the files below a folder that contain one of the texts. */
export async function findInFiles(folder: string, texts: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const contents = await Promise.all(files.map((file) => readFile(file, 'latin1')));
  return files.filter((_, at) => hasOne(contents[at]!, texts));
}

export function hasOne(content: string, texts: readonly string[]): boolean {
  return texts.some((text) => content.toLowerCase().includes(text.toLowerCase()));
}

/**
 * The content of a key of Redis. The raw encoding of lists and hashes hides texts, so each type is read with its own
 * command.
 */
export async function contentOf(redis: RedisConnection, key: string): Promise<string> {
  switch (await redis.type(key)) {
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'list':
      return JSON.stringify(await redis.lrange(key, 0, -1));
    case 'zset':
      return JSON.stringify(await redis.zrange(key, 0, -1));
    case 'set':
      return JSON.stringify(await redis.smembers(key));
    case 'stream':
      return (await redis.xrangeBuffer(key, '-', '+')).flatMap(([, fields]) => fields.map(String)).join('\n');
    default:
      return String(await redis.getBuffer(key));
  }
}
