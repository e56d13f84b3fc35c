export const Logo = () => (
  <span className="frame-logo">
    <img src="/favicon.svg" alt="" width={26} height={26} />
    Junction
  </span>
);
