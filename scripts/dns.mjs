import { createSocket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { decode, encode } from 'dns-packet';

// npm run dns -- FILE [PORT]: a name server on loopback that publishes the records of FILE, the response of POST
// /api/domains. It reads the file for every query, so a removed record disappears at once.

const NXDOMAIN = 3;
const AUTHORITATIVE = 1 << 10;
const LONGEST_STRING = 255; // of a TXT record (RFC 1035, 3.3)
const [file, port = '5300'] = process.argv.slice(2);
if (!file) throw new Error('Name the file that holds the records: npm run dns -- domain.json');

const socket = createSocket('udp4');
socket.on('message', async (message, sender) => {
  const { id, questions } = decode(message);
  const [{ name, type }] = questions;
  const named = (await readRecords()).filter((record) => record.name === name.toLowerCase());
  const answers = named.filter((record) => record.type === type).map(toAnswer);
  const flags = AUTHORITATIVE | (named.length > 0 ? 0 : NXDOMAIN);
  console.log(`${type} ${name}: ${named.length > 0 ? `${answers.length} found` : 'no such name'}`);
  socket.send(encode({ id, type: 'response', flags, questions, answers }), sender.port, sender.address);
});
socket.bind(Number(port), '127.0.0.1', () => console.log(`DNS on 127.0.0.1:${port}, from ${file}`));

async function readRecords() {
  try {
    return JSON.parse(await readFile(file, 'utf8')).records ?? [];
  } catch {
    console.log(`${file} cannot be read: there are no records`);
    return [];
  }
}

function toAnswer({ type, name, value }) {
  const data = type === 'TXT' ? value.match(new RegExp(`.{1,${LONGEST_STRING}}`, 'g')) : value;
  return { type, name, ttl: 0, data };
}
