const FORM =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * RFC 3339 date-time to a Date, to the millisecond; undefined when it is none. Stricter than
 * Date.parse, which takes 30 February for 2 March and reads many forms that other systems refuse.
 */
export function parseRfc3339(text: string): Date | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour = '',
    minute = '',
    second = '',
    fraction = '',
    offset = '',
  ] = match;
  if (!isDay(Number(year), Number(month), Number(day))) return undefined;

  // A leap second (23:59:60) is a time that Date has no place for: it becomes the next one.
  const leap = second === '60';
  const clock = `${hour}:${minute}:${leap ? '59' : second}${leap ? '' : fraction.slice(0, 4)}`;
  const at = Date.parse(`${year}-${month}-${day}T${clock}${offset.toUpperCase()}`);
  const date = new Date(at + (leap ? 1_000 : 0));

  // The offset may carry it out of the four-digit years that ISO 8601 and Postgres agree on.
  const utcYear = date.getUTCFullYear();
  return utcYear >= 1 && utcYear <= 9_999 ? date : undefined;
}

function isDay(year: number, month: number, day: number): boolean {
  const leapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}
