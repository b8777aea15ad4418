import console from 'node:console';
import { createServer } from 'node:net';
import process from 'node:process';

// Accepts every message, as a mail server does. The reply to NOOP contains the number of messages so far.
const END = '\r\n.\r\n';
let accepted = 0;
createServer((socket) => {
  let isContent = false;
  let rest = '';
  const say = (line) => socket.write(`${line}\r\n`);
  say('220 stub.test ESMTP');
  socket.setEncoding('latin1').on('error', () => socket.destroy());
  socket.on('data', (piece) => {
    rest += piece;
    for (;;) {
      if (isContent) {
        const end = rest.indexOf(END);
        if (end < 0) {
          rest = rest.slice(-END.length + 1);
          return;
        }
        rest = rest.slice(end + END.length);
        isContent = false;
        say(`250 2.0.0 Ok: queued as ${++accepted}`);
        continue;
      }
      const end = rest.indexOf('\r\n');
      if (end < 0) return;
      const command = rest.slice(0, end).toUpperCase();
      rest = rest.slice(end + 2);
      if (command.startsWith('EHLO')) say('250-stub.test\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 ENHANCEDSTATUSCODES');
      else if (command === 'DATA') {
        isContent = true;
        say('354 Go ahead');
      } else if (command === 'NOOP') say(`250 2.0.0 Ok: ${accepted} accepted`);
      else if (command === 'QUIT') socket.end('221 Bye\r\n');
      else say('250 2.0.0 Ok');
    }
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'));
