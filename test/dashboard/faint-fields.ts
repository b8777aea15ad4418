/** WCAG 2.2, 1.4.11 for the borders of fields, and 1.4.3 for texts, which axe does not check in placeholders. */
const [BORDER, TEXT] = [3, 4.5];

/** Runs in the page: fields whose border or placeholder has too little contrast to what is behind it. */
export const FIND_FAINT = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const mixed = (colors) => {
    for (const color of colors) {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const behind = (element) => element ? [...behind(element.parentElement), getComputedStyle(element).backgroundColor] : ['white'];
  const luminance = (color) => color
    .map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const contrast = (color, colors) => {
    const [low, high] = [mixed(colors), mixed([...colors, color])].map(luminance).sort((one, other) => one - other);
    return (high + 0.05) / (low + 0.05);
  };
  return [...document.querySelectorAll('input:not([type=checkbox], [type=radio]), select, textarea, .editor')]
    .filter((field) => field.checkVisibility() && !field.matches('.editor *'))
    .flatMap((field) => {
      const border = contrast(getComputedStyle(field).borderTopColor, behind(field.parentElement));
      const text = field.placeholder ? contrast(getComputedStyle(field, '::placeholder').color, behind(field)) : ${TEXT};
      const name = field.labels?.[0]?.firstChild.textContent ?? field.className;
      return [
        ...(border < ${BORDER} ? [name + ': the border has a contrast of ' + border.toFixed(2)] : []),
        ...(text < ${TEXT} ? [name + ': the placeholder has a contrast of ' + text.toFixed(2)] : []),
      ];
    });
})()`;
