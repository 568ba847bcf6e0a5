/** The sample service: its description and one request (SOAP 1.1, document/literal). */

export const ordersWsdl: string = `<?xml version="1.0" encoding="UTF-8"?>
<wsdl:definitions name="Orders" targetNamespace="urn:orders"
    xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:o="urn:orders">
  <wsdl:types>
    <xsd:schema targetNamespace="urn:orders" elementFormDefault="qualified">
      <xsd:element name="order">
        <xsd:complexType>
          <xsd:sequence>
            <xsd:element name="customer" type="xsd:string"/>
            <xsd:element name="item" type="o:Item" maxOccurs="unbounded"/>
          </xsd:sequence>
        </xsd:complexType>
      </xsd:element>
      <xsd:element name="confirmation">
        <xsd:complexType>
          <xsd:sequence>
            <xsd:element name="status" type="xsd:string"/>
            <xsd:any minOccurs="0" maxOccurs="unbounded" processContents="lax"/>
          </xsd:sequence>
        </xsd:complexType>
      </xsd:element>
      <xsd:complexType name="Item">
        <xsd:sequence>
          <xsd:element name="article" type="xsd:string"/>
          <xsd:element name="quantity" type="xsd:int"/>
        </xsd:sequence>
      </xsd:complexType>
    </xsd:schema>
  </wsdl:types>
  <wsdl:message name="orderRequest">
    <wsdl:part name="body" element="o:order"/>
  </wsdl:message>
  <wsdl:message name="orderResponse">
    <wsdl:part name="body" element="o:confirmation"/>
  </wsdl:message>
  <wsdl:portType name="Orders">
    <wsdl:operation name="order">
      <wsdl:input message="o:orderRequest"/>
      <wsdl:output message="o:orderResponse"/>
    </wsdl:operation>
  </wsdl:portType>
  <wsdl:binding name="OrdersSoap" type="o:Orders">
    <soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <wsdl:operation name="order">
      <soap:operation soapAction="urn:orders/order"/>
      <wsdl:input><soap:body use="literal"/></wsdl:input>
      <wsdl:output><soap:body use="literal"/></wsdl:output>
    </wsdl:operation>
  </wsdl:binding>
  <wsdl:service name="Orders">
    <wsdl:port name="OrdersSoap" binding="o:OrdersSoap">
      <soap:address location="http://127.0.0.1:8082/orders"/>
    </wsdl:port>
  </wsdl:service>
</wsdl:definitions>
`;

export const orderMessage: string = `<?xml version="1.0" encoding="UTF-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <o:order xmlns:o="urn:orders">
      <o:customer>Lovelace &amp; Babbage</o:customer>
      <o:item>
        <o:article>difference engine</o:article>
        <o:quantity>2</o:quantity>
      </o:item>
    </o:order>
  </soap:Body>
</soap:Envelope>
`;
