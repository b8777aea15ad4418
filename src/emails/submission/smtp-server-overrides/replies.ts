import type { SMTPServer, SMTPServerSession } from 'smtp-server';

/** Enhanced status codes (RFC 3463) of the errors that the library reports itself. */
const ENHANCED: Readonly<Record<number, string>> = {
  421: '4.3.2',
  451: '4.3.0',
  452: '4.5.3',
  454: '4.7.0',
  500: '5.5.1',
  501: '5.5.4',
  502: '5.5.1',
  503: '5.5.1',
  504: '5.5.4',
  530: '5.7.0',
  535: '5.7.8',
  538: '5.7.11',
  552: '5.3.4',
  553: '5.1.3',
  554: '5.5.0',
};
const LOGIN_REQUIRED = 530;
const HAS_ENHANCED = /^[245]\.\d{1,3}\.\d{1,3} /;

/** Changes the replies of the connection of a session that begins. */
export function improveReplies({ connections }: SMTPServer, { id }: SMTPServerSession): void {
  for (const connection of connections) {
    if (connection.id !== id) continue;
    const send = connection.send.bind(connection);
    connection.send = (code, data, context) => {
      if (!Array.isArray(data)) {
        const text = code === LOGIN_REQUIRED && !connection.secure ? 'Must issue a STARTTLS command first' : data;
        return send(code, withEnhancedCode(code, text ?? ''), context);
      }
      send(code, connection.secure ? data : data.filter((feature) => !feature.startsWith('AUTH ')), context);
    };
  }
}

function withEnhancedCode(code: number, text: string): string {
  const enhanced = ENHANCED[code];
  return enhanced === undefined || HAS_ENHANCED.test(text) ? text : `${enhanced} ${text}`;
}
