import type { PageTexts } from './text-of-page.js';

export const ROMANCE_TEXTS: Readonly<Record<'fr' | 'es' | 'pt' | 'it', PageTexts>> = {
  fr: {
    offer: {
      heading: 'Se désabonner ?',
      text: '{sender} envoie des e-mails à {recipient}.',
      note: 'Si vous vous désabonnez, cet expéditeur ne vous enverra plus de newsletters ni d’offres. Des messages comme des reçus ou des réinitialisations de mot de passe peuvent encore arriver.',
    },
    unsubscribed: {
      heading: 'Votre désabonnement est enregistré',
      text: '{sender} n’enverra plus de newsletters ni d’offres à {recipient}.',
      mistake: 'C’était une erreur ?',
    },
    resubscribed: {
      heading: 'Votre réabonnement est enregistré',
      text: '{recipient} recevra de nouveau les newsletters et les offres de {sender}.',
    },
    failed: {
      heading: 'Veuillez réessayer',
      text: 'Votre choix n’a pas pu être enregistré. Veuillez réessayer dans une minute.',
    },
    invalid: {
      heading: 'Ce lien ne fonctionne pas',
      text: 'L’adresse est incomplète ou a été modifiée en chemin. Veuillez rouvrir le lien dans l’e-mail ou le copier en entier.',
    },
    blocked: {
      heading: 'Ce lien est bloqué',
      text: 'L’exploitant de ce service l’a bloqué, car il peut être dangereux. Vous n’avez pas été redirigé. Si vous ne connaissez pas l’expéditeur, supprimez l’e-mail.',
    },
    buttons: { unsubscribe: 'Me désabonner', resubscribe: 'Me réabonner' },
  },
  es: {
    offer: {
      heading: '¿Darse de baja?',
      text: '{sender} envía correos a {recipient}.',
      note: 'Si se da de baja, este remitente dejará de enviarle boletines y ofertas. Aún pueden llegarle mensajes como recibos o enlaces para cambiar la contraseña.',
    },
    unsubscribed: {
      heading: 'Se ha dado de baja',
      text: '{sender} ya no enviará boletines ni ofertas a {recipient}.',
      mistake: '¿Ha sido un error?',
    },
    resubscribed: {
      heading: 'Se ha vuelto a suscribir',
      text: '{recipient} volverá a recibir boletines y ofertas de {sender}.',
    },
    failed: {
      heading: 'Inténtelo de nuevo',
      text: 'No se ha podido guardar su elección. Inténtelo de nuevo dentro de un minuto.',
    },
    invalid: {
      heading: 'Este enlace no funciona',
      text: 'La dirección está incompleta o se modificó por el camino. Vuelva a abrir el enlace del correo o cópielo entero.',
    },
    blocked: {
      heading: 'Este enlace está bloqueado',
      text: 'El operador de este servicio lo ha bloqueado porque puede ser dañino. No se le ha redirigido. Si no conoce al remitente, elimine el correo.',
    },
    buttons: { unsubscribe: 'Darme de baja', resubscribe: 'Volver a suscribirme' },
  },
  pt: {
    offer: {
      heading: 'Cancelar a inscrição?',
      text: '{sender} envia e-mails para {recipient}.',
      note: 'Se você cancelar a inscrição, este remetente não enviará mais newsletters nem ofertas. Mensagens como recibos ou redefinições de senha ainda podem chegar.',
    },
    unsubscribed: {
      heading: 'Sua inscrição foi cancelada',
      text: '{sender} não enviará mais newsletters nem ofertas para {recipient}.',
      mistake: 'Foi um engano?',
    },
    resubscribed: {
      heading: 'Sua inscrição foi reativada',
      text: '{recipient} voltará a receber newsletters e ofertas de {sender}.',
    },
    failed: {
      heading: 'Tente novamente',
      text: 'Não foi possível salvar sua escolha. Tente novamente em um minuto.',
    },
    invalid: {
      heading: 'Este link não funciona',
      text: 'O endereço está incompleto ou foi alterado no caminho. Abra novamente o link no e-mail ou copie-o por inteiro.',
    },
    blocked: {
      heading: 'Este link está bloqueado',
      text: 'O operador deste serviço o bloqueou porque ele pode ser prejudicial. Você não foi redirecionado. Se não conhece o remetente, exclua o e-mail.',
    },
    buttons: { unsubscribe: 'Cancelar inscrição', resubscribe: 'Inscrever-me novamente' },
  },
  it: {
    offer: {
      heading: 'Annullare l’iscrizione?',
      text: '{sender} invia email a {recipient}.',
      note: 'Se annulli l’iscrizione, questo mittente non ti invierà più newsletter e offerte. Messaggi come ricevute o reimpostazioni della password potranno ancora arrivare.',
    },
    unsubscribed: {
      heading: 'La tua iscrizione è annullata',
      text: '{sender} non invierà più newsletter e offerte a {recipient}.',
      mistake: 'È stato un errore?',
    },
    resubscribed: {
      heading: 'La tua iscrizione è di nuovo attiva',
      text: '{recipient} riceverà di nuovo newsletter e offerte da {sender}.',
    },
    failed: { heading: 'Riprova', text: 'Non è stato possibile salvare la tua scelta. Riprova tra un minuto.' },
    invalid: {
      heading: 'Questo link non funziona',
      text: 'L’indirizzo è incompleto o è stato modificato lungo il percorso. Apri di nuovo il link nell’email oppure copialo per intero.',
    },
    blocked: {
      heading: 'Questo link è bloccato',
      text: 'Il gestore di questo servizio lo ha bloccato perché potrebbe essere dannoso. Non c’è stato alcun reindirizzamento. Se non conosci il mittente, elimina l’email.',
    },
    buttons: { unsubscribe: 'Annulla l’iscrizione', resubscribe: 'Iscrivimi di nuovo' },
  },
};
