/** Returns a function that makes a value for an object once, and forgets it with the object. */
export function remembered<Of extends object, Value>(make: (of: Of) => Value): (of: Of) => Value {
  const known = new WeakMap<Of, Value>();
  return (of) => {
    const value = known.get(of);
    if (value !== undefined) return value;
    const made = make(of);
    known.set(of, made);
    return made;
  };
}
